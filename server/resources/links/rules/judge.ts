import type { components } from '../../../../generated/schema.d.ts';
import type { Link } from '../../../content/links/graph.ts';
import type { Services } from '../../kit/slice.ts';
import { findElsewhere } from '../present/elsewhere.ts';
import type { Locations } from '../present/locations.ts';

type Schemas = components['schemas'];

/** A link with its status and target. */
export interface JudgedLink {
  link: Link;
  status: Schemas['LinkStatus'];
  location?: Schemas['Location'];
}

/** Determines the status of links, as visible to a user. */
export class Judge {
  readonly #services: Services;
  readonly #locations: Locations;
  readonly #user: string;

  constructor(services: Services, locations: Locations, user: string) {
    this.#services = services;
    this.#locations = locations;
    this.#user = user;
  }

  /** Determines the status of links. Targets elsewhere are looked up for all of them at once. */
  async all(links: readonly Link[]): Promise<JudgedLink[]> {
    const own = this.#locations.space.id;
    const outer = links.filter(({ target, address }) => {
      if (target?.kind !== 'elsewhere') {
        return false;
      }
      return address.kind !== 'space' || address.space !== own;
    });
    const elsewhere = await findElsewhere(
      this.#services,
      outer.map(({ address }) => address),
      { user: this.#user, organization: this.#locations.organization },
    );
    return links.map((link) => {
      const target = elsewhere.get(link.address);
      if (target) {
        return { link, ...target };
      }
      return this.#within(link);
    });
  }

  #within(link: Link): JudgedLink {
    const { target, anchor, address } = link;
    switch (target?.kind) {
      case 'page': {
        const position = anchor === undefined ? undefined : ({ type: 'anchor', anchor } as const);
        return { link, status: 'ok', location: this.#locations.page(target.page, position) };
      }
      case 'file':
        return { link, status: 'ok', location: this.#locations.file(target.file) };
      case 'reusable-content':
        return { link, status: 'ok', location: this.#locations.reusable(target.reusable) };
      case 'outside':
        return {
          link,
          status: this.#isInApp(target.url) ? 'in-app' : 'ok',
          location: { kind: 'url', url: target.url },
        };
      case 'elsewhere':
        return address.kind === 'space' && address.space === this.#locations.space.id
          ? { link, status: 'ok', location: this.#locations.ofSpace() }
          : { link, status: 'broken' };
      default:
        return { link, status: 'broken' };
    }
  }

  /** Whether a URL leads to the app, like the `urls.app` of resources. */
  #isInApp(url: string): boolean {
    if (!URL.canParse(url)) {
      return false;
    }
    const app = new URL(this.#services.addresses.at('/app'));
    const { origin, pathname } = new URL(url);
    return origin === app.origin && (pathname === app.pathname || pathname.startsWith(`${app.pathname}/`));
  }
}
