import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Variable with the file that {@link TestReport} is written to. */
export const REPORT_VARIABLE = 'COLOPHON_GATE_REPORT';

/** Result of the tests of a part. */
export interface TestReport {
  /** Number of tests that ran. */
  ran: number;
  failures: { name: string; isAssertion: boolean; message: string }[];
}

type Failure = Pick<SerializedError, 'name' | 'message' | 'stack' | 'cause'>;

/**
 * Reporter of vitest that distinguishes tests with a failed assertion from tests that timed out, threw another error,
 * or did not run because their file or their setup failed.
 */
export default class GateReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = unhandled.map((error) => failureOf('unhandled error', [error], false));
    let ran = 0;
    for (const module of modules) {
      failures.push(...failed(module.relativeModuleId, module.errors(), false));
      for (const suite of module.children.allSuites()) {
        failures.push(...failed(suite.fullName, suite.errors(), false));
      }
      for (const { fullName, result } of withResults(module)) {
        ran += result.state === 'skipped' ? 0 : 1;
        failures.push(...failed(fullName, result.errors ?? [], true));
      }
    }
    const report: TestReport = { ran, failures };
    writeFileSync(process.env[REPORT_VARIABLE] ?? 'failures.json', JSON.stringify(report));
  }
}

function withResults(module: TestModule) {
  return [...module.children.allTests()].map((test) => ({ fullName: test.fullName, result: test.result() }));
}

function failed(name: string, errors: readonly Failure[], isTest: boolean): TestReport['failures'] {
  return errors.length === 0 ? [] : [failureOf(name, errors, isTest)];
}

function failureOf(name: string, errors: readonly Failure[], isTest: boolean) {
  return {
    name,
    isAssertion: isTest && errors.some(isAssertion),
    message: errors.map(({ stack, message }) => stack ?? message).join('\n'),
  };
}

/** Whether an error is a failed assertion, or was caused by one: fast-check reports the value that failed. */
function isAssertion({ name, cause }: Failure): boolean {
  return name === 'AssertionError' || (isError(cause) && isAssertion(cause));
}

function isError(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value;
}
