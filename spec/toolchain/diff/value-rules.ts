import type { Direction, Rule, Shift } from './rule.ts';

/**
 * Values: one table for everything that says which values are allowed. A request may widen and a response may narrow.
 * A server is released with its contract, and its types and tests say what it lacks; so nothing that only servers
 * have to follow is called breaking.
 */
const values: Record<Direction, Record<Shift, Rule>> = {
  request: {
    narrowed: {
      level: 'breaking',
      affects: 'clients',
      why: 'Clients that send what was allowed until now are refused.',
    },
    widened: {
      level: 'safe',
      affects: 'servers',
      why: 'Whatever clients send today stays allowed; servers have to take more than before.',
    },
    changed: {
      level: 'breaking',
      affects: 'both',
      why: 'What clients send today is refused, and servers as they are refuse what new clients send.',
    },
  },
  response: {
    narrowed: {
      level: 'risky',
      affects: 'servers',
      why: 'Clients are ready for more than they get; a server as it is may still send what is ruled out now.',
    },
    widened: {
      level: 'breaking',
      affects: 'clients',
      why: 'Clients may get what they were told never comes.',
    },
    changed: {
      level: 'breaking',
      affects: 'both',
      why: 'Clients get something else than they were told, and servers as they are send what is ruled out now.',
    },
  },
};

/** What of a schema decides about values, and how to change it compatibly. */
const aspects = {
  type: {
    request:
      'Go on taking the old type beside the new one, or add a property of the new type under another name.',
    response: 'Keep the property as it is and add one of the new type under another name.',
  },
  null: {
    request: 'Go on taking null, and read it as left out.',
    response: 'Keep a value that stands for "none", or say it in a new property.',
  },
  enum: {
    request: 'Go on taking the old value, and treat it as its successor.',
    response: 'Send new values only to who asks for them by a parameter, or in a new property.',
  },
  format: {
    request:
      'Go on taking the old format, and add a property or parameter under another name for the new one.',
    response: 'Go on sending the old format, and add a property under another name for the new one.',
  },
  limit: {
    request: 'Keep the old limit, and hold only those to the new one who ask for something new.',
    response: 'Keep within the old limit, and send what is beyond it in a new property.',
  },
  pattern: {
    request: 'Make the pattern allow all that it allowed before, or add a property under another name.',
    response: 'Send only what the old pattern allows, or add a property under another name.',
  },
  variant: {
    request: 'Go on taking the old variant.',
    response: 'Send a new variant only to who asks for it by a parameter, or in a new property.',
  },
  extra: {
    request: 'Go on passing over properties that are not declared.',
    response: 'Declare the properties that may come.',
  },
} as const satisfies Record<string, Record<Direction, string>>;

/** What of a schema decides about values. */
export type Aspect = keyof typeof aspects;
/** The id of a rule about values. */
export type ValueRuleId = `${Direction}-${Aspect}-${Shift}`;

/** Clients are expected to pass over properties that they do not know, so that a response can grow. */
const exceptions: Partial<Record<ValueRuleId, Rule>> = {
  'response-extra-widened': {
    level: 'risky',
    affects: 'clients',
    why: 'Clients that refuse or store properties they do not know meet some.',
    mend: 'Declare the properties that may come.',
  },
};

const serversFirst = 'See that no server sends it any more before the contract says so.';

/** Aspects that can become something else without being narrower or wider. */
const changeable: readonly string[] = ['type', 'format', 'pattern'] satisfies Aspect[];

/** The rules about values, by their ids. */
export function valueRules(): [ValueRuleId, Rule][] {
  return (['request', 'response'] as const).flatMap((direction) =>
    // The keys of a constant are exactly the aspects.
    (Object.keys(aspects) as Aspect[]).flatMap((aspect) =>
      (['narrowed', 'widened', 'changed'] as const)
        .filter((shift) => shift !== 'changed' || changeable.includes(aspect))
        .map((shift): [ValueRuleId, Rule] => {
          const id: ValueRuleId = `${direction}-${aspect}-${shift}`;
          const rule = values[direction][shift];
          const mend =
            rule.level === 'safe'
              ? {}
              : rule.affects === 'servers'
                ? { mend: serversFirst }
                : { mend: aspects[aspect][direction] };
          return [id, exceptions[id] ?? { ...rule, ...mend }];
        }),
    ),
  );
}
