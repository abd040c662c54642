// Runs `npm start` in a fresh clone as a new user would, and times the way to the first answered login.
import { spawn } from 'node:child_process';

const [clone] = process.argv.slice(2);
const LIMIT_SECONDS = 10;
const started = Date.now();
const server = spawn('npm', ['start'], { cwd: clone, detached: true, env: { ...process.env, PORT: '0' } });
let output = '';
for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk));

const stop = (code) => {
  try {
    process.kill(-server.pid, 'SIGTERM');
  } catch {
    // it has gone by itself
  }
  process.exit(code);
};
const deadline = setTimeout(() => {
  console.error(`no login within 60 s\n${output}`);
  stop(1);
}, 60_000);

while (!/listening on \S+/.test(output)) await new Promise((resolve) => setTimeout(resolve, 20));
const url = /listening on (\S+)/.exec(output)[1];
const password = /admin\s+(\S+)/.exec(output)[1];
const response = await fetch(`${url}/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username: 'admin', password }),
});
const seconds = (Date.now() - started) / 1_000;
clearTimeout(deadline);
console.log(`first login answered ${response.status} after ${seconds.toFixed(1)} s`);
stop(response.status === 200 && seconds < LIMIT_SECONDS ? 0 : 1);
