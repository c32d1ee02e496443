/** Reads YAML in a thread of its own, see `parse.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { yamlToJson } from './yaml.ts';

parentPort?.postMessage(yamlToJson(String(workerData)));
