import { unavailable } from '../../contract/errors.ts';
import { Slots } from '../../contract/slots.ts';

/** Files that one process fetches for requests at the same time; each takes some 3 MB of memory. */
export const MAX_FILE_FETCHES = 32;
/** Files that one process fetches for requests of one organization at the same time. */
export const MAX_FILE_FETCHES_PER_ORGANIZATION = 4;
/** Further requests of one organization that may wait to fetch a file. */
export const MAX_WAITING_FILE_FETCHES_PER_ORGANIZATION = 50;
/** How long a request waits for its turn to fetch a file, in milliseconds. */
export const FILE_FETCH_WAIT_MS = 30_000;

/** Lets a bounded number of files be fetched at a time, and fewer for one organization, so that none keeps others out. */
export class FetchTurns {
  readonly #all = new Slots(MAX_FILE_FETCHES, MAX_FILE_FETCHES * 10, FILE_FETCH_WAIT_MS);
  readonly #organizations = new Map<string, { slots: Slots; users: number }>();

  /**
   * Waits for a turn, which ends with what is returned (`using`).
   *
   * @throws ContractError 503 when too many wait, or the turn did not come in time
   */
  async enter(organization: string): Promise<Disposable> {
    const own = this.#organizations.get(organization) ?? {
      slots: new Slots(
        MAX_FILE_FETCHES_PER_ORGANIZATION,
        MAX_WAITING_FILE_FETCHES_PER_ORGANIZATION,
        FILE_FETCH_WAIT_MS,
      ),
      users: 0,
    };
    this.#organizations.set(organization, own);
    own.users++;
    const releases: (() => void)[] = [
      () => {
        if (--own.users === 0) this.#organizations.delete(organization);
      },
    ];
    const leave = () => {
      for (const release of releases.toReversed()) release();
    };
    try {
      releases.push(await own.slots.enter(unavailable));
      releases.push(await this.#all.enter(unavailable));
      return { [Symbol.dispose]: leave };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
