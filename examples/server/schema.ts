/** The users-and-posts schema. What each caller may do in it stands here; resolvers.ts has the policies by name. */
export const typeDefs = /* GraphQL */ `
  scalar DateTime

  type User @public {
    id: ID!
    name: String!
    email: String! @auth(rule: { any: [{ owner: "id" }, { permission: "manage_users" }] }, onDeny: MASK)
    posts: [Post!]! @auth(policy: [["visible"]], from: RESULT, onDeny: FILTER)
    createdAt: DateTime!
  }

  type Post @public {
    id: ID!
    title: String!
    content: String!
    author: User!
    published: Boolean!
  }

  input CreatePostInput {
    title: String!
    content: String!
    authorId: ID @auth(rule: { any: [{ owner: "authorId" }, { permission: "manage_users" }] })
  }

  type Query {
    user(id: ID!): User @auth(permissions: ["read"])
    users(limit: Int, offset: Int): [User!]! @auth(permissions: ["read"])
    post(id: ID!): Post @auth(permissions: ["read"]) @auth(policy: [["visible"]], from: RESULT, onDeny: NULL)
  }

  type Mutation {
    createUser(name: String!, email: String!): User! @auth(permissions: ["manage_users"])
    createPost(title: String, content: String,
      authorId: ID @auth(rule: { any: [{ owner: "authorId" }, { permission: "manage_users" }] }),
      input: CreatePostInput): Post! @auth(permissions: ["create"])
    publishPost(id: ID!): Post! @auth(rule: { any: [{ permission: "update" }, { policy: "ownPost" }] })
  }

  type Subscription {
    postPublished(authorId: ID): Post! @auth(permissions: ["read"]) @auth(policy: [["visible"]], from: RESULT, onDeny: FILTER)
    postCreated: Post! @auth(permissions: ["read"]) @auth(policy: [["visible"]], from: RESULT, onDeny: FILTER)
    userCreated: User! @auth(permissions: ["manage_users"])
  }
`;
