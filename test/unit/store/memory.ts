import type { Load } from '../../../server/content/tree/values.ts';

/** Objects in memory that count reads. */
export class Memory {
  readonly objects = new Map<string, string>();
  /** Number of read objects and of rounds. */
  loaded = 0;
  rounds = 0;

  readonly load: Load = async (hashes) => {
    this.rounds++;
    return new Map(
      hashes.map((hash) => {
        this.loaded++;
        const text = this.objects.get(hash);
        if (text === undefined) {
          throw new Error(`${hash} was requested but never stored`);
        }
        return [hash, text];
      }),
    );
  };

  /** Stores the texts of a plan. */
  keep(objects: Iterable<{ hash: string; data: string }>): void {
    for (const { hash, data } of objects) {
      this.objects.set(hash, data);
    }
  }
}
