import type { Operation } from '../contract/contract.ts';
import type { Schema } from '../schema/schema.ts';
import { anonymous, wordsOf } from './names.ts';
import type { Resources } from './resources.ts';
import type { Part } from './shapes.ts';

/** Fields of an entity that can be compared between reads: those that clients set, and those that never change. */
export class WritableFields {
  readonly #resources: Resources;
  readonly #settable = new Map<string, ReadonlyMap<string, readonly Schema[]>>();

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  /** Schemas of the fields that clients write, by name. */
  settable(read: Operation): ReadonlyMap<string, readonly Schema[]> {
    const key = anonymous(read.path);
    const cached = this.#settable.get(key);
    if (cached) {
      return cached;
    }
    const { shapes, contract, slots } = this.#resources;
    const slot = slots.get(key);
    const creators = slot ? this.#resources.producersOf(slot).filter(({ kind }) => kind !== 'list') : [];
    const writers = [
      ...contract.operations.filter(
        ({ path, method }) => anonymous(path) === key && (method === 'PUT' || method === 'PATCH'),
      ),
      ...creators.map(({ operation }) => operation),
    ];
    const fields = new Map<string, Schema[]>();
    for (const writer of writers) {
      for (const [name, schema] of shapes.fields(this.bodyPart(writer).schema)) {
        fields.set(name, [...(fields.get(name) ?? []), schema]);
      }
    }
    this.#settable.set(key, fields);
    return fields;
  }

  /** Returns the fields in the response of an operation that only change when a client writes them. */
  stableFields(read: Operation): ReadonlySet<string> {
    const { shapes } = this.#resources;
    const [response] = shapes.successes(read);
    const part = response && shapes.entity(response.schema, '');
    const settable = this.settable(read);
    const names = [...(part ? shapes.fields(part.schema) : [])].filter(([name, schema]) => {
      const written = settable.get(name);
      if (written) {
        return written.some((candidate) => overlap(shapes.types(candidate), shapes.types(schema)));
      }
      const words = wordsOf(name);
      return (
        words.join('') === 'id' || (shapes.flat(schema).format === 'date-time' && words[0] === 'created')
      );
    });
    return new Set(names.map(([name]) => name));
  }

  /** Returns the object with the fields of a resource in a JSON body: in the same envelope as in the responses. */
  bodyPart(write: Operation): Part {
    const { shapes } = this.#resources;
    const schema = shapes.body(write) ?? {};
    const [response] = shapes.successes(write);
    const sent = shapes.entity(schema, '');
    const shown = response && shapes.entity(response.schema, '');
    return sent && sent.at !== '' && (shown === undefined || shown.at === sent.at)
      ? sent
      : { at: '', schema };
  }

  /** Returns the fields with the same name and schema in request and response. */
  sharedFields(write: Operation, shown: Schema): ReadonlySet<string> {
    const { shapes } = this.#resources;
    const sent = shapes.fields(this.bodyPart(write).schema);
    const fields = [...shapes.fields(shown)].filter(([name, schema]) => {
      const written = sent.get(name);
      return written !== undefined && shapes.same(bare(written, shapes), bare(schema, shapes));
    });
    return new Set(fields.map(([name]) => name));
  }
}

/** Removes null from a schema, which means "remove" in a patch. */
function bare(schema: Schema, shapes: Resources['shapes']): Schema {
  const flat = shapes.flat(schema);
  const branches = (flat.anyOf ?? flat.oneOf ?? []).filter(
    (branch) => typeof branch === 'boolean' || shapes.flat(branch).type !== 'null',
  );
  const [only] = branches;
  return branches.length === 1 && typeof only === 'object' ? shapes.flat(only) : flat;
}

const overlap = (some: readonly string[], others: readonly string[]) =>
  some.length === 0 || others.length === 0 || some.some((type) => type !== 'null' && others.includes(type));
