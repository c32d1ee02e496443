import type { components } from '../../../../../generated/schema.d.ts';
import { hashOf, storableText } from '../../../../content/tree/hash.ts';
import { isYieldDue, yieldToEventLoop } from '../../../../content/tree/yielding.ts';
import type {
  StoredConfiguration,
  StoredDefinition,
  StoredImage,
} from '../../../../database/schema/integrations/integrations.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import { decodeImage, isBase64, type PublishedImage } from '../../../kit/images.ts';

type Schemas = components['schemas'];

/** Maximum length of a content security policy, which is sent as a header. */
export const MAX_POLICY_LENGTH = 8192;

/** A publication, with decoded images and without the fields that are columns of the integration. */
export interface PreparedPublication {
  definition: Partial<StoredDefinition>;
  images: PublishedImage[];
  /** Undefined to retain the script of the previous version. */
  script: { bytes: Uint8Array; hash: string } | undefined;
}

/**
 * Decodes and checks a publication, before the transaction that stores it.
 *
 * @throws ContractError 400 naming the field that is invalid
 */
export async function preparePublication(
  body: Schemas['IntegrationPublication'],
): Promise<PreparedPublication> {
  const images: PublishedImage[] = [];
  const decode = async (text: string): Promise<StoredImage> => {
    const { asset, ...image } = decodeImage(text);
    images.push(image);
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
    return { asset };
  };
  const icon = async (text: string | undefined) =>
    text === undefined ? {} : { icon: isBase64(text) ? await decode(text) : { url: text } };
  const definition: Partial<StoredDefinition> = {
    ...(body.runtime !== undefined && { runtime: body.runtime }),
    ...(body.description !== undefined && { description: storableText(body.description) }),
    ...(body.summary !== undefined && { summary: storableText(body.summary) }),
    ...(body.icon !== undefined && { icon: await decode(body.icon) }),
    ...(body.categories !== undefined && { categories: body.categories }),
    ...(body.externalLinks !== undefined && { externalLinks: body.externalLinks }),
    ...(body.configurations !== undefined && { configurations: configurationsOf(body.configurations) }),
    ...(body.contentSecurityPolicy !== undefined && {
      contentSecurityPolicy: policyOf(body.contentSecurityPolicy),
    }),
  };
  if (body.previewImages) {
    definition.previewImages = [];
    for (const text of body.previewImages) {
      definition.previewImages.push(await decode(text));
    }
  }
  if (body.blocks) {
    requireDistinct(body.blocks, 'blocks');
    definition.blocks = [];
    for (const { icon: blockIcon, ...block } of body.blocks) {
      definition.blocks.push({ ...block, ...(await icon(blockIcon)) });
    }
  }
  if (body.contentSources) {
    requireDistinct(body.contentSources, 'contentSources');
    definition.contentSources = [];
    for (const { icon: sourceIcon, ...source } of body.contentSources) {
      definition.contentSources.push({ ...source, ...(await icon(sourceIcon)) });
    }
  }
  const script = body.script === undefined ? undefined : Buffer.from(body.script);
  return { definition, images, script: script && { bytes: script, hash: hashOf(script) } };
}

function requireDistinct(items: readonly { id: string }[], field: string): void {
  const ids = new Set<string>();
  for (const [at, { id }] of items.entries()) {
    if (ids.has(id)) {
      throw fieldInvalid(`${field}.${at}.id`, 'must be unique');
    }
    ids.add(id);
  }
}

/** Converts a content security policy to the value of its header. */
function policyOf(policy: Schemas['ContentSecurityPolicyWrite']): string {
  const text =
    typeof policy === 'string'
      ? policy
      : Object.entries(policy)
          // Manifests end a list of sources, or each of them, with a semicolon.
          .map(([directive, value]) => `${directive} ${value.replaceAll(';', ' ')}`.trim())
          .join('; ');
  // A header: RFC 9110, section 5.5.
  if (text.length > MAX_POLICY_LENGTH || !/^[\t\x20-\x7e\r\n]*$/.test(text)) {
    throw fieldInvalid(
      'contentSecurityPolicy',
      `must be ASCII text of at most ${MAX_POLICY_LENGTH} characters`,
    );
  }
  return text.replace(/\s+/g, ' ').trim();
}

function configurationsOf(
  configurations: Schemas['IntegrationConfigurationsWrite'],
): StoredDefinition['configurations'] {
  const { account, space, site } = configurations;
  return {
    ...(account && { account: configurationOf(account, 'configurations.account') }),
    ...(space && { space: configurationOf(space, 'configurations.space') }),
    ...(site && { site: configurationOf(site, 'configurations.site') }),
  };
}

function configurationOf(
  configuration: Schemas['IntegrationConfigurationWrite'],
  field: string,
): StoredConfiguration {
  if ('componentId' in configuration) {
    return configuration;
  }
  const { properties, required = [] } = configuration;
  const names = Object.keys(properties);
  for (const name of names) {
    const property = properties[name];
    if (
      property?.type === 'string' &&
      property.enum?.includes(property.default ?? '') === false &&
      property.default !== undefined
    ) {
      throw fieldInvalid(`${field}.properties.${name}.default`, 'must be one of the allowed values');
    }
  }
  const unknown = required.findIndex((name) => !names.includes(name));
  if (unknown >= 0) {
    throw fieldInvalid(`${field}.required.${unknown}`, 'must be the name of a setting');
  }
  return { properties, required: [...new Set(required)] };
}
