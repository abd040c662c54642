const POSTS_PER_USER = 5;

const users = Array.from({ length: 1_000 }, (_, index) => ({
  id: `u${index}`,
  name: `User ${index}`,
  email: `user${index}@example.org`,
  posts: Array.from({ length: POSTS_PER_USER }, (_, post) => ({
    id: `u${index}p${post}`,
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
