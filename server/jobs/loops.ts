/**
 * Work that the process of a queue does next to its jobs, within limits of its own, such as the delivery of events: it
 * neither waits for jobs nor delays them.
 */
export interface BackgroundLoop {
  start(): void;
  /** Looks for work now. Also called when the queue is woken. */
  wake(): void;
  isBusy(): boolean;
  /** Waits until nothing is running here and nothing is due. */
  idle(): Promise<void>;
  /** Starts nothing more, waits up to `graceMs` for what is running, then aborts it. */
  stop(graceMs: number): Promise<void>;
}

/** The loops of a queue. */
export class Loops {
  readonly #loops: BackgroundLoop[] = [];

  add(loop: BackgroundLoop): void {
    this.#loops.push(loop);
  }

  start(): void {
    for (const loop of this.#loops) {
      loop.start();
    }
  }

  wake(): void {
    for (const loop of this.#loops) {
      loop.wake();
    }
  }

  isBusy(): boolean {
    return this.#loops.some((loop) => loop.isBusy());
  }

  async idle(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.idle()));
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop(graceMs)));
  }
}
