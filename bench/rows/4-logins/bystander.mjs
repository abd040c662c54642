/**
 * The process of somebody who does not log in: asks `GET /ping` at fixed times, each on a connection
 * of its own, and counts from when the ping was due, so a server that stands still is charged for every
 * ping that it kept waiting. A ping without an answer when patience ends counts with what it has waited
 * by then: a floor, since a blocked server can fall behind without end.
 */
import { setMaxListeners } from 'node:events';
import { get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 25;
const PATIENCE_MS = 1_000;
const WARM_UP_PINGS = 40;
const url = process.argv[2];

function ping(signal) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, signal }, (response) => {
      response.resume().on('end', resolve).on('error', reject);
      if (response.statusCode !== 200) reject(new Error(`ping answered ${response.statusCode}`));
    }).on('error', reject);
  });
}

async function pingFor(measureMs) {
  const start = performance.now();
  const outOfPatience = AbortSignal.timeout(measureMs + PATIENCE_MS);
  setMaxListeners(0, outOfPatience);
  const waited = async (due) => {
    await ping(outOfPatience).catch((error) => {
      if (!outOfPatience.aborted) throw error;
    });
    return performance.now() - due;
  };
  const latencies = [];
  for (let due = start; due < start + measureMs; due += EVERY_MS) {
    await sleep(Math.max(0, due - performance.now()));
    latencies.push(waited(due));
  }
  return Promise.all(latencies);
}

process.once('message', async ({ measureMs }) => {
  process.send(await pingFor(measureMs), () => process.disconnect());
});
for (let index = 0; index < WARM_UP_PINGS; index++) await ping();
process.send('ready');
