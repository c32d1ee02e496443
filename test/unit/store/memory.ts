import type { Load } from '../../../server/content/tree/values.ts';

/** Objects in memory, and what was asked of them. */
export class Memory {
  readonly objects = new Map<string, string>();
  /** How many objects were asked for, in how many rounds. */
  loaded = 0;
  rounds = 0;

  readonly load: Load = async (hashes) => {
    this.rounds++;
    return new Map(
      hashes.map((hash) => {
        this.loaded++;
        const text = this.objects.get(hash);
        if (text === undefined) {
          throw new Error(`${hash} was asked for and never stored`);
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
