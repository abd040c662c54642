/** The counts of a report of vitest: "passed failed" on standard output, what failed and why on standard error. */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let failed = report.numFailedTests + report.numPendingTests;
for (const file of report.testResults) {
  for (const test of file.assertionResults) {
    if (test.status === 'passed') continue;
    console.error(`${test.status}: ${file.name} > ${test.fullName}`);
    for (const message of test.failureMessages ?? []) console.error(message.slice(0, 2000));
  }
  if (file.status === 'failed' && file.assertionResults.every((test) => test.status === 'passed')) {
    console.error(`failed: ${file.name}, outside its tests\n${(file.message ?? '').slice(0, 2000)}`);
    failed += 1;
  }
}
console.log(report.numPassedTests, report.numTotalTests === 0 ? 1 : failed);
