// Reads the reports of the test runner and prints the last line of CI.
import { existsSync, readFileSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { ENGINE_TESTS, runsOnOneEngine } from '../support/database/one-engine.ts';

/** Relevant part of the JSON report (the format of Jest, which Vitest writes). */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

const [check, tests, ...files] = process.argv.slice(2);
const [written, missing] = [
  files.filter((file) => existsSync(file)),
  files.filter((file) => !existsSync(file)),
];
const reports = written.map((file): Report => JSON.parse(readFileSync(file, 'utf8')));
const results = reports.flatMap(({ testResults }) => testResults);
const total = (count: (report: Report) => number) => reports.reduce((sum, report) => sum + count(report), 0);
const failures: string[] = [];
if (check !== '0') {
  failures.push('npm run check is red.');
}
for (const file of missing) {
  failures.push(`The test runner ended without the report ${file}.`);
}
for (const { name, status, message, assertionResults } of results) {
  if (status === 'failed' && !assertionResults.some((item) => item.status === 'failed')) {
    failures.push(`${name} failed to run: ${message ?? ''}`);
  }
}

// Every file of the service's suite runs once on each engine, or on one if it states why.
const runs = new Map<string, number>();
for (const { name } of results) {
  if (ENGINE_TESTS.some((pattern) => matchesGlob(relative(process.cwd(), name), pattern))) {
    runs.set(name, (runs.get(name) ?? 0) + 1);
  }
}
const wrong = [...runs].filter(([name, times]) => times !== (runsOnOneEngine(name) ? 1 : 2));
if (wrong.length > 0 || runs.size === 0) {
  const names = wrong.map(([name]) => name).join(', ');
  failures.push(`The tests did not run on both SQLite and PostgreSQL: ${names || 'none ran'}.`);
}

const failedTests = total(({ numFailedTests }) => numFailedTests);
if (tests !== '0' && failedTests + failures.length === 0) {
  failures.push('The test runner failed outside the tests; see above.');
}
// Repeated at the end, since the output of the tests before it is long.
for (const { name, assertionResults } of results) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === 'failed') {
      const [message] = failureMessages.join('\n').split('\n');
      console.log(`${relative(process.cwd(), name)}: ${fullName}: ${message}`);
    }
  }
}
for (const failure of failures) {
  console.log(failure);
}
console.log(
  `${total(({ numPassedTests }) => numPassedTests)} passed, ${failedTests + failures.length} failed`,
);
process.exitCode = failures.length > 0 || tests !== '0' ? 1 : 0;
