/** A thread that writes a repository with texts that do not fit into its heap. */
import { parentPort, workerData } from 'node:worker_threads';
import { writeInSteps } from '../../../server/content/repository/write/repository.ts';
import type { ExportedDocument } from '../../../server/content/repository/write/types.ts';
import { TextsOnDisk } from '../../../server/threads/scratch-file.ts';
import { document } from '../content/imported-content.ts';

/** Parameters of the repository to write. */
export interface ThreadData {
  folder: string;
  pages: number;
  bytes: number;
}

if (parentPort) {
  // Set by the test that starts the thread.
  const { folder, pages, bytes } = workerData as ThreadData;
  const { key: _key, git: _git, cover: _cover, ...facts } = document('page.md');
  const content = Array.from({ length: pages }, (_, at): ExportedDocument => {
    const [id, slug] = [`page${at}`, `page-${at}`];
    return {
      ...facts,
      id,
      slug,
      path: slug,
      title: `Page ${at}`,
      pages: [],
      get markdown() {
        return `Text of ${at}. ${'x'.repeat(99)}\n\n`.repeat(bytes / 100);
      },
    };
  });
  using texts = new TextsOnDisk(folder);
  const steps = writeInSteps(
    { pages: content, files: [], reusableContents: [], redirects: [], variables: {} },
    { list: () => [], read: () => undefined },
    { texts },
  );
  let count = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    count += 1;
    if (!step.done) {
      continue;
    }
    parentPort.postMessage({ steps: count, texts: step.value.texts.size });
    break;
  }
}
