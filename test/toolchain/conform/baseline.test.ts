import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Baseline,
  readBaseline,
  withBaseline,
  writeBaseline,
} from '../../../spec/toolchain/conform/report/baseline.ts';
import { htmlReport } from '../../../spec/toolchain/conform/report/html.ts';
import { jsonReport } from '../../../spec/toolchain/conform/report/json.ts';
import { textReport } from '../../../spec/toolchain/conform/report/text.ts';
import { PACKAGE, runCommand } from '../run-command.ts';
import { libraryTokens, startLibrary } from './server.ts';
import { libraryDocument } from './server-document.ts';
import { context, finding, outcome } from './widget-outcome.ts';

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-baseline-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'baseline.json');
}

/** A failure of a tested operation that the outcome does not have. */
const fixed = {
  check: 'declared-body',
  operation: 'getWidget',
  cause: 'Widget/name violates type',
  message: 'Wrong.',
};
const untested = { ...fixed, operation: 'getPart', cause: 'Part/name violates type' };

test('a written baseline contains the failures of the run, without its values', async () => {
  const file = await temporaryFile();
  expect(await readBaseline(file)).toBeUndefined();
  await writeBaseline(file, outcome);
  const { check, operation, cause, message } = finding;
  expect(await readBaseline(file)).toEqual({ failures: [{ check, operation, cause, message }] });
});

test('known failures do not count, others do, and those that did not occur are listed', () => {
  const baseline: Baseline = { failures: [finding, fixed, untested] };
  const other = { ...finding, cause: 'another cause' };
  const compared = withBaseline({ ...outcome, findings: [finding, other] }, baseline);
  expect(compared.findings).toEqual([other]);
  expect(compared.known).toEqual([finding]);
  // The run did not test the operation of the third one.
  expect(compared.vanished).toEqual([fixed]);
  const text = textReport(compared, context);
  expect(text).toContain('1 failure that the baseline does not contain, and 1 known.');
  expect(text).toContain('remove them from it if they are fixed\n  getWidget: declared-body: Wrong.');
  expect(JSON.parse(jsonReport(compared, context))).toMatchObject({
    known: [{ cause: finding.cause }],
    vanished: [fixed],
  });
  expect(htmlReport(compared, context)).toContain('Known failures of the baseline');
});

test('a file that is no baseline is a usage error', async () => {
  const file = await temporaryFile();
  for (const text of ['{', '[]', '{"version":2,"failures":[]}', '{"version":1,"failures":[{"check":1}]}']) {
    await writeFile(file, text);
    await expect(readBaseline(file)).rejects.toThrow(/is not a baseline: .* Delete it/);
  }
});

test('the command writes a baseline, accepts its failures, and fails for others', async () => {
  const file = await temporaryFile();
  const document = `${file}.openapi.json`;
  await writeFile(document, JSON.stringify(libraryDocument));
  const conform = async (url: URL) => {
    const target = ['--url', url.href, '--contract', document, '--token', libraryTokens.own, '--seed', '5'];
    const bounds = ['--max-requests', '150', '--only', '*Shelf', '--save-replay', `${file}.replay.json`];
    return await runCommand(PACKAGE, join(file, '..'), ['conform', ...target, ...bounds, '--baseline', file]);
  };
  await using known = await startLibrary('ignores patches');
  const first = await conform(known.url);
  expect(first).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(file, 'utf8')).failures).toMatchObject([{ check: 'read-after-update' }]);
  expect(await conform(known.url)).toMatchObject({ code: 0 });
  await using worse = await startLibrary('ignores patches', 'returns an additional field');
  expect(await conform(worse.url)).toMatchObject({ code: 1 });
});
