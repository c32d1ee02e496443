// Vitest's setup of every project: what fast-check draws follows from the seed of the run.
import fc from 'fast-check';
import { testSeed } from './seed.ts';

fc.configureGlobal({ seed: testSeed() });
