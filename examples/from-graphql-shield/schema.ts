import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Blog, Post, User } from '../tools/blog.ts';

/** What the resolvers find in the context, on both servers. */
export interface BlogContext {
  readonly blog: Blog;
}

const typeDefs = /* GraphQL */ `
  interface Owned { authorId: ID! note: String }
  type Post implements Owned { id: ID! title: String! published: Boolean! author: User! authorId: ID! note: String }
  type User { id: ID! name: String! email: String posts: [Post!]! }
  type Stats { users: Int drafts: Int }

  type Query {
    hello: String
    posts: [Post!]
    post(id: ID!): Post
    owned(id: ID!): Owned
    users: [User!]
    stats: Stats
  }
  type Mutation {
    createPost(title: String!, authorId: ID!): Post
    publishPost(id: ID!): Post
    handOver(id: ID!, to: ID!): Post
    deletePost(id: ID!): Boolean
  }
  type Subscription { postPublished: Post }
`;

const resolvers = {
  Query: {
    hello: () => 'world',
    posts: (_: unknown, _args: object, { blog }: BlogContext) => [...blog.posts.values()],
    post: (_: unknown, { id }: { id: string }, { blog }: BlogContext) => found(blog, id),
    owned: (_: unknown, { id }: { id: string }, { blog }: BlogContext) => found(blog, id),
    users: (_: unknown, _args: object, { blog }: BlogContext) => blog.users,
    stats: (_: unknown, _args: object, { blog }: BlogContext) => ({
      users: blog.users.length,
      drafts: [...blog.posts.values()].filter(({ published }) => !published).length,
    }),
  },
  Mutation: {
    createPost: (_: unknown, { title, authorId }: { title: string; authorId: string }, { blog }: BlogContext) =>
      blog.add(title, authorId),
    publishPost: (_: unknown, { id }: { id: string }, { blog }: BlogContext) => blog.publish(id),
    handOver: (_: unknown, { id, to }: { id: string; to: string }, { blog }: BlogContext) => blog.handOver(id, to),
    deletePost: (_: unknown, { id }: { id: string }, { blog }: BlogContext) => blog.posts.delete(id),
  },
  Subscription: {
    postPublished: {
      subscribe: (_: unknown, _args: object, { blog }: BlogContext) => blog.watch(),
      resolve: (post: Post) => post,
    },
  },
  Owned: { __resolveType: () => 'Post' },
  Post: {
    author: ({ authorId }: Post, _args: object, { blog }: BlogContext) => blog.users.find(({ id }) => id === authorId),
  },
  User: {
    posts: ({ id }: User, _args: object, { blog }: BlogContext) =>
      [...blog.posts.values()].filter(({ authorId }) => authorId === id),
  },
};

function found(blog: Blog, id: string): Post {
  const post = blog.posts.get(id);
  if (post === undefined) throw new GraphQLError('No such post', { extensions: { code: 'NOT_FOUND' } });
  return post;
}

/** The schema as it is, without any rule. */
export function createSchema(): GraphQLSchema {
  return makeExecutableSchema({ typeDefs, resolvers });
}
