import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Fault } from '../../../../contract/errors.ts';
import { fieldsInvalid } from '../../../../contract/errors.ts';
import type {
  StoredConfiguration,
  StoredConfigurationLevel,
  StoredDefinition,
  StoredProperty,
} from '../../../../database/schema/integrations/integrations.ts';
import { openSecret, sealingKey, sealSecret } from '../../../../outgoing/credentials.ts';

/** Values of the settings by name. */
export type Configuration = Record<string, unknown>;

/** Maximum length of a text in the configuration of an installation. */
export const MAX_TEXT_LENGTH = 65_536;

/** Maximum number of values that an integration stores for an installation beside its settings. */
export const MAX_UNLISTED_VALUES = 100;

/** Returns the settings of a level; none if the integration publishes none there. */
const settingsOf = (definition: StoredDefinition, level: StoredConfigurationLevel): StoredConfiguration =>
  definition.configurations[level] ?? { properties: {}, required: [] };

/** A request to replace a configuration. */
interface ConfigurationChange {
  before: Configuration;
  requested: Configuration;
  /** Whether the integration itself sends it. */
  isIntegration: boolean;
}

/**
 * Returns the configuration after a request to replace it. Required settings may be missing: the installation is pending
 * then. A form of the integration accepts any values.
 *
 * The integration also stores values that it does not publish as settings, such as the tokens of a sign-in. Others
 * cannot change these: they remain if a request omits them, or returns them as they are.
 *
 * @throws ContractError 400 naming each setting at fault
 */
export function replaceConfiguration(
  definition: StoredDefinition,
  level: StoredConfigurationLevel,
  { before, requested, isIntegration }: ConfigurationChange,
): Configuration {
  const settings = settingsOf(definition, level);
  if ('componentId' in settings) {
    return requested;
  }
  const isListed = ([name]: [string, unknown]) => Object.hasOwn(settings.properties, name);
  if (isIntegration) {
    requireValid(requested, {
      ...schemaOf(settings.properties),
      // Only texts have a length.
      additionalProperties: { maxLength: MAX_TEXT_LENGTH },
      maxProperties: Object.keys(settings.properties).length + MAX_UNLISTED_VALUES,
    });
    return requested;
  }
  const unlisted = new Map(Object.entries(before).filter((entry) => !isListed(entry)));
  const changed = Object.entries(requested).filter(
    ([name, value]) => !(unlisted.has(name) && isDeepStrictEqual(unlisted.get(name), value)),
  );
  requireValid(Object.fromEntries(changed), schemaOf(settings.properties));
  return { ...requested, ...Object.fromEntries(unlisted) };
}

/** @throws ContractError 400 naming each setting at fault */
function requireValid(configuration: Configuration, schema: object): void {
  const validate = new Ajv2020({ allErrors: true, logger: false }).compile(schema);
  if (validate(configuration)) {
    return;
  }
  const faults = (validate.errors ?? []).map(({ instancePath, params, message }): Fault => {
    const unknown: unknown = params.additionalProperty;
    return typeof unknown === 'string'
      ? { in: 'body', path: `configuration.${unknown}`, message: 'is not a setting of the integration' }
      : {
          in: 'body',
          path: `configuration${instancePath.replaceAll('/', '.')}`,
          message: message ?? 'is invalid',
        };
  });
  const [first] = faults;
  throw fieldsInvalid(first ? `${first.path} ${first.message}` : 'configuration is invalid', faults);
}

const schemaOf = (properties: Record<string, StoredProperty>) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, schemaOfProperty(property)]),
  ),
});

function schemaOfProperty(property: StoredProperty): object {
  if (property.type === 'button') {
    // The integration stores what the page behind the button returned.
    return {};
  }
  return {
    type: property.type,
    ...(property.type === 'string' && { maxLength: MAX_TEXT_LENGTH }),
    // JSON Schema has no empty `enum`.
    ...(property.type === 'string' &&
      property.enum &&
      (property.enum.length > 0 ? { enum: property.enum } : { not: {} })),
  };
}

/** Adds the default values of the settings that have no value. */
export function withDefaults(
  definition: StoredDefinition,
  level: StoredConfigurationLevel,
  configuration: Configuration,
): Configuration {
  const settings = settingsOf(definition, level);
  if ('componentId' in settings) {
    return configuration;
  }
  const defaults = Object.entries(settings.properties).flatMap(([name, property]) =>
    'default' in property && property.default !== undefined ? [[name, property.default] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...configuration };
}

/** Returns the names of the required settings that have no value. */
export function missingSettings(
  definition: StoredDefinition,
  level: StoredConfigurationLevel,
  configuration: Configuration,
): string[] {
  const settings = settingsOf(definition, level);
  const values = withDefaults(definition, level, configuration);
  const required = 'componentId' in settings ? [] : settings.required;
  return required.filter((name) => !Object.hasOwn(values, name) || values[name] === '');
}

/** What a sealed configuration belongs to: an installation, or its space or site `target`. */
interface ConfigurationOwner {
  installation: string;
  target: string;
}

const contextOf = ({ installation, target }: ConfigurationOwner) => `configuration ${installation} ${target}`;

/** Encrypts a configuration for storage, because it can contain credentials. Null if it has no values. */
export const sealConfiguration = (
  configuration: Configuration,
  owner: ConfigurationOwner,
  secretKey: string,
): string | null =>
  Object.keys(configuration).length === 0
    ? null
    : sealSecret(JSON.stringify(configuration), sealingKey(secretKey), contextOf(owner));

/** Decrypts a stored configuration. */
export const openConfiguration = (
  sealed: string | null,
  owner: ConfigurationOwner,
  secretKey: string,
): Configuration =>
  sealed === null
    ? {}
    : // Sealed by sealConfiguration.
      (JSON.parse(openSecret(sealed, sealingKey(secretKey), contextOf(owner))) as Configuration);
