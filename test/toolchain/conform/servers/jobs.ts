import { body, closed, counter, documentOf, found, type Habit, inPath, ref, responses } from '../habit.ts';

const text = { type: 'string', maxLength: 9 };

/** Asynchronous work: 202 with a job to poll that changes its status by itself, and a deletion that takes time. */
export const jobs: Habit = {
  document: documentOf(
    {
      '/jobs': {
        post: {
          operationId: 'startJob',
          requestBody: body(closed({ text }, ['text'])),
          responses: responses(202, ref('Job')),
        },
      },
      '/jobs/{jobId}': {
        parameters: [inPath('jobId')],
        get: { operationId: 'getJob', responses: responses(200, ref('Job')) },
        delete: { operationId: 'cancelJob', responses: responses(202) },
      },
    },
    {
      Job: closed(
        {
          id: { type: 'string' },
          text,
          status: { enum: ['queued', 'running', 'done'] },
          result: { type: ['string', 'null'] },
        },
        ['id', 'text', 'status', 'result'],
      ),
    },
  ),
  faults: { 'forgets jobs': 'read-after-create', 'returns another text': 'read-after-create' },
  handlers(fault) {
    const all = new Map<string, { id: string; text: string; reads: number; isCancelled: boolean }>();
    const next = counter('job');
    const shown = ({ id, text, reads }: { id: string; text: string; reads: number }) => ({
      id,
      text: fault === 'returns another text' && reads > 0 ? 'other' : text,
      status: ['queued', 'running'][reads] ?? 'done',
      result: reads > 1 ? 'finished' : null,
    });
    return {
      startJob: ({ body }) => {
        const job = { id: next(), text: (body as { text: string }).text, reads: 0, isCancelled: false };
        if (fault !== 'forgets jobs') {
          all.set(job.id, job);
        }
        return { status: 202, body: shown(job) };
      },
      getJob: ({ path }) => {
        const job = found(all.get(path.jobId ?? ''));
        job.reads += 1;
        if (job.isCancelled) {
          all.delete(job.id);
        }
        return { status: 200, body: shown(job) };
      },
      cancelJob: ({ path }) => {
        found(all.get(path.jobId ?? '')).isCancelled = true;
        return { status: 202 };
      },
    };
  },
};
