import { makeExecutableSchema } from '@graphql-tools/schema';
import { viewer } from './principals.mjs';

const POSTS_PER_USER = 5;

/** Everything is the viewer's, so that rules about the owner let the viewer through and nobody else. */
const users = Array.from({ length: 1_000 }, (_, index) => ({
  id: `u${index}`,
  ownerId: viewer.id,
  name: `User ${index}`,
  email: `user${index}@example.org`,
  posts: Array.from({ length: POSTS_PER_USER }, (_, post) => ({
    id: `u${index}p${post}`,
    ownerId: viewer.id,
    title: `Post ${post}`,
    content: `Post ${post} of user ${index}`,
  })),
}));

/** A caller without the role reaches the fields of User and Post through the two `open` fields. */
export const resolvers = {
  Query: {
    users: (_source, { limit }) => users.slice(0, limit),
    openUsers: () => users.slice(0, 1),
    openPosts: () => users[0].posts,
  },
};

/** Every field of the measured query but the one that the query starts with. */
export const objectFields = [
  ...['id', 'name', 'email', 'posts'].map((field) => `User.${field}`),
  ...['id', 'title', 'content'].map((field) => `Post.${field}`),
];
export const everyField = ['Query.users', ...objectFields];

/**
 * The SDL that every contestant serves. `directive` is written behind every guarded field,
 * for the contestants that are told so in the SDL.
 * @param {readonly string[]} guarded coordinates such as `User.email`
 * @param {string} [directive]
 */
export function typeDefs(guarded, directive = '') {
  const on = (coordinate) => (guarded.includes(coordinate) ? ` ${directive}` : '');
  return `
    type Query {
      users(limit: Int!): [User!]${on('Query.users')}
      openUsers: [User!]
      openPosts: [Post!]
    }
    type User {
      id: ID${on('User.id')}
      name: String${on('User.name')}
      email: String${on('User.email')}
      posts: [Post!]${on('User.posts')}
    }
    type Post {
      id: ID${on('Post.id')}
      title: String${on('Post.title')}
      content: String${on('Post.content')}
    }
  `;
}

export const plainSchema = () => makeExecutableSchema({ typeDefs: typeDefs([]), resolvers });
