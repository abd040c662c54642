/**
 * The process of a policy server that costs as little as one can: it reads TCP, looks for whole calls and
 * says yes, or no to whoever is from the department "closed". It counts the calls and tells when asked.
 */
import { createServer } from 'node:net';

const answer = (result) => {
  const body = JSON.stringify({ result });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
};
const [YES, NO] = [answer(true), answer(false)];
const END_OF_HEAD = '\r\n\r\n';
let calls = 0;

/** Where the first call in `bytes` ends; `undefined` when it is not there yet. */
function endOfCall(bytes) {
  const head = bytes.indexOf(END_OF_HEAD);
  if (head === -1) return undefined;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(bytes.latin1Slice(0, head)) ?? [];
  if (length === undefined) throw new Error('a call without a length');
  const end = head + END_OF_HEAD.length + Number(length);
  return end <= bytes.length ? end : undefined;
}

const server = createServer((socket) => {
  let pending = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let end = endOfCall(pending); end !== undefined; end = endOfCall(pending)) {
      calls++;
      socket.write(pending.subarray(0, end).includes('"department":"closed"') ? NO : YES);
      pending = pending.subarray(end);
    }
  });
});

process.on('message', () => process.send({ calls }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
