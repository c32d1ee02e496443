/** Loads the options that selections of a component retrieve from URLs. */
import type { components } from '../../../../../generated/schema.d.ts';
import { OutgoingError } from '../../../../outgoing/errors.ts';
import { Fetcher } from '../../../../outgoing/fetch.ts';
import { callIntegration } from '../../../integrations/calls/call-integration.ts';
import { IntegrationCallError } from '../../../integrations/calls/calls.ts';
import { maxAgeOf } from '../../../integrations/calls/render.ts';
import type { SiteBlock } from '../../site-integrations/find.ts';
import type { ReadingServices } from '../reading-site.ts';
import { boundUrl, type UrlContext } from './bindings.ts';
import { MAX_SELECT_OPTIONS } from './inputs.ts';
import {
  type CacheableResult,
  createResponseCache,
  lifetimeOf,
  MIN_RESPONSE_LIFETIME_MS,
} from './response-cache.ts';

type Schemas = components['schemas'];
type SelectOption = Pick<Schemas['SelectOption'], 'id' | 'label'>;
type Options = readonly SelectOption[];

/** Maximum number of URLs that a component retrieves options from. */
export const MAX_OPTION_URLS = 10;
/** Time limit for the response of such a URL. */
export const OPTIONS_DEADLINE_MS = 3000;
/** Maximum size of the response of such a URL. */
export const MAX_OPTIONS_BYTES = 262_144;

const responses = createResponseCache<Options>();

/** Loads the options of the selections of a component, by their URLs. A URL that fails has none. */
export async function loadOptions(
  services: ReadingServices,
  block: SiteBlock,
  root: Schemas['RenderRoot'],
  state: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<string, Options>> {
  const context = { state, ownOrigins: services.resourceUrls.origins };
  const urls = [...new Set(optionUrlsIn(root, context))].slice(0, MAX_OPTION_URLS);
  const loaded = urls.map(async (url) => {
    const { value } = await responses.get(`${block.version} ${url}`, () => load(services, block, url));
    return [url, value] as const;
  });
  return new Map(await Promise.all(loaded));
}

function optionUrlsIn(value: unknown, context: UrlContext): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  if (!Array.isArray(value)) {
    // Elements were checked: `type` distinguishes them.
    const element = value as Schemas['RenderElement'];
    if (element.type === 'select') {
      return 'url' in element.options ? [boundUrl(element.options.url, context)] : [];
    }
  }
  return Object.values(value).flatMap((inner) => optionUrlsIn(inner, context));
}

async function load(
  services: ReadingServices,
  block: SiteBlock,
  url: string,
): Promise<CacheableResult<Options>> {
  try {
    const { status, body, maxAgeSeconds } = await request(services, block, url);
    const value = status === 200 ? readOptions(body) : [];
    return { value, lifetimeMs: lifetimeOf(maxAgeSeconds, block), size: body.byteLength * 2 };
  } catch (error) {
    if (!(error instanceof IntegrationCallError || error instanceof OutgoingError)) {
      throw error;
    }
    const { integration, installation, isInDevelopment } = block;
    services.log.warn({ err: error, integration, installation }, 'could not load options of a block');
    return { value: [], lifetimeMs: isInDevelopment ? 0 : MIN_RESPONSE_LIFETIME_MS, size: 0 };
  }
}

interface OptionsResponse {
  status: number;
  body: Uint8Array;
  maxAgeSeconds: number;
}

/** Calls the script for an endpoint of its own. Other URLs must be encrypted, and not of this server. */
async function request(
  services: ReadingServices,
  { integration, installation }: SiteBlock,
  url: string,
): Promise<OptionsResponse> {
  const { resourceUrls, outgoing, createId } = services;
  const isAt = (urls: { publicEndpoint: string; publicContentEndpoint: string }) =>
    isBelow(url, urls.publicEndpoint) || isBelow(url, urls.publicContentEndpoint);
  const isOfInstallation = isAt(resourceUrls.installation(integration, installation));
  if (isOfInstallation || isAt(resourceUrls.integration(integration))) {
    const target = isOfInstallation ? { installation } : {};
    const { status, headers, body } = await callIntegration(services, {
      integration,
      ...target,
      event: {
        type: 'fetch',
        eventId: createId('evt'),
        request: { method: 'GET', url, headers: {} },
        ...(isOfInstallation && { installationId: installation }),
      },
      deadlineMs: OPTIONS_DEADLINE_MS,
      maxResponseBytes: MAX_OPTIONS_BYTES,
    });
    return { status, body, maxAgeSeconds: maxAgeOf(headers) };
  }
  const address = URL.parse(url);
  if (address?.protocol !== 'https:' || resourceUrls.origins.includes(address.origin)) {
    return { status: 404, body: new Uint8Array(), maxAgeSeconds: 0 };
  }
  await using fetcher = new Fetcher(outgoing.allow);
  const limits = { timeout: OPTIONS_DEADLINE_MS, maxBytes: MAX_OPTIONS_BYTES, accept: 'application/json' };
  const { status, body } = await fetcher.fetch(address, limits);
  return { status, body, maxAgeSeconds: 0 };
}

const isBelow = (url: string, endpoint: string): boolean =>
  url.startsWith(endpoint) && /^(?:$|[/?])/.test(url.slice(endpoint.length));

/** Reads a list of options, or one in `items`. Everything else in it is ignored. */
function readOptions(body: Uint8Array): SelectOption[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch {
    return [];
  }
  const list = typeof value === 'object' && value !== null && 'items' in value ? value.items : value;
  return Array.isArray(list) ? list.filter(isOption).slice(0, MAX_SELECT_OPTIONS) : [];
}

const isOption = (value: unknown): value is SelectOption =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'label' in value &&
  typeof value.label === 'string';
