// Prints the events of a subscription, and the code with which the server closes the socket:
// node examples/tools/subscribe.mjs 'subscription { postPublished { title } }' "$TOKEN"
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const [query, token] = process.argv.slice(2);
const client = createClient({
  url: process.env.URL ?? 'ws://127.0.0.1:4000/graphql',
  webSocketImpl: WebSocket,
  shouldRetry: () => false,
  connectionParams: token ? { authorization: `Bearer ${token}` } : {},
  on: { closed: ({ code, reason }) => console.log(`closed ${code} ${reason}`) },
});
client.subscribe(
  { query },
  { next: (event) => console.log(JSON.stringify(event)), error: () => {}, complete: () => {} },
);
