import { describe, expect, test } from 'vitest';
import { createProgress } from '../../../../spec/toolchain/conform/report/progress.ts';
import type { Clock } from '../../../../spec/toolchain/conform/wire/clock.ts';

describe('progress', () => {
  /** Clock that is advanced manually. */
  class ManualClock implements Clock {
    #now = 0;
    #waiting: { at: number; call: () => void }[] = [];
    now = () => this.#now;
    after(milliseconds: number, call: () => void): () => void {
      const item = { at: this.#now + milliseconds, call };
      this.#waiting.push(item);
      return () => {
        this.#waiting = this.#waiting.filter((other) => other !== item);
      };
    }
    pass(milliseconds: number): void {
      const end = this.#now + milliseconds;
      for (;;) {
        const next = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) {
          break;
        }
        this.#waiting = this.#waiting.filter((other) => other !== next);
        this.#now = next.at;
        next.call();
      }
      this.#now = end;
    }
  }
  const started = (live: boolean, columns = 80) => {
    const clock = new ManualClock();
    const written: string[] = [];
    const state = { requests: 0 };
    const write = (text: string) => void written.push(text);
    const progress = createProgress({
      write,
      live,
      columns,
      clock,
      requests: () => state.requests,
      maxSeconds: 60,
    });
    return { clock, written, state, progress };
  };

  test('is a plain line every five seconds without a terminal', () => {
    const { clock, written, state, progress } = started(false);
    progress.update({ phase: 'sequences', operation: 'getWidget', failures: 1 });
    state.requests = 50;
    clock.pass(4_999);
    expect(written).toEqual([]);
    clock.pass(1);
    state.requests = 150;
    clock.pass(5_000);
    expect(written).toEqual([
      'sequences · getWidget · 50 requests · 10/s · 1 failure · 55 s left\n',
      'sequences · getWidget · 150 requests · 20/s · 1 failure · 50 s left\n',
    ]);
    progress.close();
    clock.pass(60_000);
    expect(written).toHaveLength(2);
  });

  test('is one live line on a terminal, truncated to its width and removed at the end', () => {
    const { clock, written, progress } = started(true, 20);
    progress.update({ phase: 'a phase with a long name' });
    clock.pass(100);
    progress.close();
    expect(written).toEqual(['\ra phase with a lon…\u001b[K', '\r\u001b[K']);
  });
});
