import { fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageFrom } from '../../message-from.mjs';
import { percentile } from '../../stats.mjs';

const stubFile = fileURLToPath(new URL('stub.mjs', import.meta.url));
const ASKED = 40;
/** Of so many answers one is timed: looking at the clock costs as much as a tenth of a decision that shares its call. */
const TIMED = 16;
const itself = (answer) => answer;

/** A question that nobody has asked before, unless it has the number of another. */
export function accessRequest(number, department = 'sales') {
  return {
    subject: { id: `person-${number}`, roles: ['editor'], attributes: { department } },
    action: 'read',
    resource: {
      type: 'document',
      id: `document-${number}`,
      attributes: { owner_id: 'ada', department: 'legal', sensitivity: 'high' },
    },
    environment: { time: 0, hour: 10 },
  };
}

/** The input that Doorward sends for a request, for the contestants that know nothing of requests. */
export function inputOf({ subject, action, resource, environment }) {
  const [role] = subject.roles;
  const { owner_id, department, sensitivity } = resource.attributes;
  return {
    user: { id: subject.id, role, department: subject.attributes.department, roles: subject.roles },
    resource: { id: resource.id, owner_id, department, sensitivity },
    action,
    environment: { hour: environment.hour },
  };
}

/** What every contestant begins with: a policy server of its own, in a process of its own. */
export async function startStub() {
  const stub = fork(stubFile, { execArgv: [] });
  const { url } = await messageFrom(stub);
  const ended = new Promise((resolve) => stub.once('exit', resolve));
  return {
    url,
    path: '/v1/data/authz/allow',
    calls: async () => {
      stub.send('calls');
      return (await messageFrom(stub)).calls;
    },
    close: () => {
      stub.disconnect();
      return ended;
    },
  };
}

/** Yes to everybody but the department "closed", all asked at once; every question is one call. */
export async function answers({ stub, decide, isAllowed = itself }) {
  const departments = Array.from({ length: ASKED }, (_, number) => (number % 3 === 0 ? 'closed' : 'sales'));
  const answered = await Promise.all(
    departments.map((department, number) => decide(accessRequest(number, department))),
  );
  const allowed = answered.map(isAllowed);
  const wrong = departments.findIndex((department, number) => allowed[number] !== (department !== 'closed'));
  if (wrong !== -1) throw new Error(`answers ${allowed[wrong]} to somebody of the department ${departments[wrong]}`);
  return { asked: ASKED, calls: await stub.calls() };
}

/** A closed loop: whoever has an answer asks the next question. `hot` is how many questions there are; all are new without it. */
function startAsking({ decide, isAllowed = itself }, { inFlight, hot }) {
  const hotRequests = Array.from({ length: hot ?? 0 }, (_, number) => accessRequest(number));
  const latencies = [];
  let running = true;
  let asked = 0;
  let answered = 0;
  const askAgainAndAgain = async () => {
    while (running) {
      const number = asked++;
      const request = hot === undefined ? accessRequest(number) : hotRequests[number % hot];
      const start = number % TIMED === 0 ? performance.now() : undefined;
      if (isAllowed(await decide(request)) !== true) throw new Error('denied');
      answered++;
      if (start !== undefined) latencies.push(performance.now() - start);
    }
  };
  const ended = Promise.all(Array.from({ length: inFlight }, askAgainAndAgain));
  return {
    latencies,
    answered: () => answered,
    stop: () => {
      running = false;
      return ended;
    },
  };
}

/** CPU is that of the contestant's process; the policy server is paid for by nobody. */
export async function measure(contestant, { warmUpMs, measureMs }, input) {
  const { stub } = contestant;
  const asking = startAsking(contestant, input);
  await sleep(warmUpMs);
  const before = { calls: await stub.calls(), timed: asking.latencies.length, answered: asking.answered() };
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await sleep(measureMs);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1_000;
  const decisions = asking.answered() - before.answered;
  const latencies = asking.latencies.slice(before.timed);
  const calls = (await stub.calls()) - before.calls;
  await asking.stop();
  return {
    perSecond: decisions / seconds,
    cpuUs: (user + system) / decisions,
    p99Ms: percentile(latencies, 0.99),
    callsPerDecision: calls / decisions,
    aDecision: 1,
  };
}
