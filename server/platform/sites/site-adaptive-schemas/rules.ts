import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { readJson, writeJson } from '../../../database/json.ts';
import { fieldInvalid, notFound } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { Context } from '../../kit/slice.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import { isReserved, MAX_CLAIMS, UNSIGNED } from './queries.ts';

type Schemas = components['schemas'];

/** An adaptive schema, and when it was last set. */
export type AdaptiveSchema = Pick<Schemas['SiteAdaptiveSchema'], 'jsonSchema' | 'updatedAt'>;

/** @throws ContractError 404 if the schema of the site was never set */
export async function adaptiveSchemaFor(
  queries: Queries,
  caller: CallerId,
  name: SiteName,
): Promise<AdaptiveSchema> {
  const { row } = await siteFor(queries, caller, name, 'view');
  const jsonSchema = readJson(row.adaptiveSchema);
  if (jsonSchema === null || row.adaptiveSchemaUpdatedAt === null) {
    throw notFound('adaptive schema');
  }
  return { jsonSchema, updatedAt: row.adaptiveSchemaUpdatedAt };
}

/** Replaces the adaptive schema of a site. Conditions on claims that it no longer has are false from then on. */
export async function replaceAdaptiveSchema(
  trx: Transaction,
  { caller, clock, audit }: Context,
  { organization, site, jsonSchema }: SiteName & Schemas['SiteAdaptiveSchemaUpdate'],
): Promise<AdaptiveSchema> {
  const { row } = await siteFor(trx, caller.id, { organization, site }, 'structure');
  requireClaims(jsonSchema);
  const updatedAt = clock().toISOString();
  const changes = {
    adaptiveSchema: writeJson(jsonSchema),
    adaptiveSchemaUpdatedAt: updatedAt,
    version: row.version + 1,
  };
  await trx.updateTable('sites').set(changes).where('id', '=', row.id).execute();
  if (changes.adaptiveSchema !== row.adaptiveSchema) {
    await audit(trx, {
      organization,
      action: 'site.conditions_changed',
      resource: { type: 'site', id: site },
      details: { fields: ['adaptiveSchema'] },
    });
  }
  return { jsonSchema, updatedAt };
}

/** @throws ContractError 400 if a schema is not one of boolean claims and the object `unsigned` */
function requireClaims({ properties }: Schemas['AdaptiveJsonSchema']): void {
  const { [UNSIGNED]: unsigned, ...signed } = properties;
  for (const [name, claim] of Object.entries(signed)) {
    if (claim.type !== 'boolean') {
      throw fieldInvalid(
        `jsonSchema.properties.${name}`,
        `must be a boolean claim: only ${UNSIGNED} can be an object`,
      );
    }
  }
  if (Object.keys(signed).length > MAX_CLAIMS) {
    throw fieldInvalid('jsonSchema.properties', `must have at most ${MAX_CLAIMS} claims besides ${UNSIGNED}`);
  }
  requireNames(signed, 'jsonSchema.properties');
  requireNames(unsigned?.properties ?? {}, `jsonSchema.properties.${UNSIGNED}.properties`);
}

function requireNames(claims: object, path: string): void {
  const reserved = Object.keys(claims).find(isReserved);
  if (reserved !== undefined) {
    throw fieldInvalid(`${path}.${reserved}`, 'is not a valid claim: its name is reserved');
  }
}
