import type { Direction, Rule, Shift } from './rule.ts';

/**
 * Rules for changes of the allowed values. Requests may widen, and responses may narrow. A server is released with its
 * contract, and its types and tests report missing support, so changes that affect only servers are not breaking.
 */
const VALUE_RULES: Record<Direction, Record<Shift, Rule>> = {
  request: {
    narrowed: {
      level: 'breaking',
      affects: 'clients',
      why: 'Requests that were valid before are rejected.',
    },
    widened: {
      level: 'safe',
      affects: 'servers',
      why: 'Valid requests stay valid; servers must accept more values.',
    },
    changed: {
      level: 'breaking',
      affects: 'both',
      why: 'New servers reject requests of existing clients, and existing servers reject requests of new clients.',
    },
  },
  response: {
    narrowed: {
      level: 'risky',
      affects: 'servers',
      why: 'Clients support more values than they receive; existing servers may still send values that are no longer allowed.',
    },
    widened: {
      level: 'breaking',
      affects: 'clients',
      why: 'Clients may receive values that were not declared.',
    },
    changed: {
      level: 'breaking',
      affects: 'both',
      why: 'Clients receive values that were not declared, and existing servers send values that are no longer allowed.',
    },
  },
};

/** Aspects of a schema that determine its values, with the compatible alternative for each direction. */
const ASPECTS = {
  type: {
    request:
      'Keep accepting the previous type in addition to the new one, or add a property with the new type.',
    response: 'Keep the property unchanged, and add one with the new type.',
  },
  null: {
    request: 'Keep accepting null, and treat it as omitted.',
    response: 'Keep a value that means "none", or add a new property.',
  },
  enum: {
    request: 'Keep accepting the previous value, and treat it as its replacement.',
    response: 'Send new values only if requested by a parameter, or in a new property.',
  },
  format: {
    request: 'Keep accepting the previous format, and add a property or parameter for the new one.',
    response: 'Keep sending the previous format, and add a property for the new one.',
  },
  limit: {
    request: 'Keep the previous limit, and apply the new one only to new features.',
    response: 'Stay within the previous limit, and send values beyond it in a new property.',
  },
  pattern: {
    request: 'Extend the pattern to all values that it allowed before, or add a new property.',
    response: 'Send only values that match the previous pattern, or add a new property.',
  },
  variant: {
    request: 'Keep accepting the previous variant.',
    response: 'Send a new variant only if requested by a parameter, or in a new property.',
  },
  extra: {
    request: 'Keep ignoring undeclared properties.',
    response: 'Declare the properties.',
  },
} as const satisfies Record<string, Record<Direction, string>>;

/** Aspect of a schema that determines its values. */
export type Aspect = keyof typeof ASPECTS;
/** Identifier of a rule for values. Clients ignore undeclared properties, so permitting them has no effect. */
export type ValueRuleId = Exclude<`${Direction}-${Aspect}-${Shift}`, typeof IGNORED_CHANGE>;

const IGNORED_CHANGE = 'response-extra-widened';

const SERVERS_FIRST = 'Before the contract excludes them, make sure that no server sends these values.';

/** Aspects that can change without becoming narrower or wider. */
const CHANGEABLE: readonly string[] = ['type', 'enum', 'format', 'pattern', 'variant'] satisfies Aspect[];

/** Rules for values, by id. */
export function valueRules(): [ValueRuleId, Rule][] {
  return (['request', 'response'] as const).flatMap((direction) =>
    // The keys of a constant are exactly the aspects.
    (Object.keys(ASPECTS) as Aspect[]).flatMap((aspect) =>
      (['narrowed', 'widened', 'changed'] as const)
        .filter((shift) => shift !== 'changed' || CHANGEABLE.includes(aspect))
        .flatMap((shift): [ValueRuleId, Rule][] => {
          const id = `${direction}-${aspect}-${shift}` as const;
          if (id === IGNORED_CHANGE) {
            return [];
          }
          const rule = VALUE_RULES[direction][shift];
          const alternative =
            rule.level === 'safe'
              ? {}
              : rule.affects === 'servers'
                ? { alternative: SERVERS_FIRST }
                : { alternative: ASPECTS[aspect][direction] };
          return [[id, { ...rule, ...alternative }]];
        }),
    ),
  );
}
