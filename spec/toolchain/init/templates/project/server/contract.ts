import { readFileSync } from 'node:fs';
import type { Handlers, OpenApiDocument, RequestContext } from '@colophon/toolkit/server';
import { operations as table } from '../generated/operations.ts';
import type { operations } from '../generated/schema.d.ts';
import type { Principals } from './security.ts';
import type { Services } from './services.ts';

export { table };

/** Operations that the server serves: those of paths. Webhooks are requests to other servers. */
export type Operations = Pick<operations, keyof operations & keyof typeof table>;

/** Path that the URLs of all operations start with; empty if there is none. */
export const BASE_PATH = '{{basePath}}';

/** The generated document. */
export const document: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8'),
);

/** What handlers receive next to the request: the authenticated caller, and the services. */
export type Context = RequestContext<Principals> & Services;

/** A handler for each operation of the contract. */
export type AllHandlers = Handlers<Operations, typeof table, Context>;

type TagOf<Id> = Id extends keyof typeof table ? (typeof table)[Id]['tag'] : null;

/** Interface of an operation with an id of TypeSpec: `Orders` of `Orders_list`. */
type InterfaceOf<Id> = Id extends `${infer Name}_${string}`
  ? Name extends Capitalize<Name>
    ? Name
    : null
  : null;

type GroupOf<Id> = TagOf<Id> extends string ? TagOf<Id> : InterfaceOf<Id>;

/** A handler for each operation with a tag, or of an interface, or for each operation without both (`null`). */
export type HandlersOf<Group extends string | null> = Pick<
  AllHandlers,
  { [Id in keyof AllHandlers]-?: GroupOf<Id> extends Group ? Id : never }[keyof AllHandlers]
>;
