/** Reads YAML as JSON in a thread of its own, see `parse.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseDocument } from 'yaml';
import type { YamlAnswer } from './parse.ts';

/** How many nodes aliases may repeat in all, per node that is written: what is beyond is a bomb. */
const MOST_ALIASES = 100;

function read(text: string): YamlAnswer {
  try {
    // Many specifications share parts by merge keys, which YAML 1.2 has no more.
    const document = parseDocument(text, { uniqueKeys: false, merge: true, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) return { error: error.message.split('\n')[0] ?? 'it has an error' };
    return { json: JSON.stringify(document.toJS({ maxAliasCount: MOST_ALIASES })) ?? 'null' };
  } catch (error) {
    return { error: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}

parentPort?.postMessage(read(String(workerData)));
