import { type Mutation, test } from '../mutation.ts';
import { access } from './tests.ts';

const EVENTS = 'test/service/integrations/events';
const DELIVERY = 'test/service/integrations/event-delivery';
const VIEWS = 'test/service/integrations/view-events';

/** Servers that lose, reorder or disclose events of integrations. */
export const integrationEvents: Mutation[] = [
  {
    name: 'raise no event for new content',
    file: 'server/content/branch.ts',
    from: '    await services.raiseContentUpdated(trx, space, revision);\n',
    to: '',
    failures: [test(EVENTS, 'is reported to installations with the scope')],
  },
  {
    name: 'report a failed synchronization as successful',
    file: 'server/platform/content/git/jobs/events.ts',
    from: "endRun(trx, services, job, 'failure',",
    to: "endRun(trx, services, job, 'success',",
    failures: [test('test/service/integrations/git-events', 'fails after its commit is known')],
  },
  {
    name: 'let the token of an integration manage other integrations',
    file: 'server/platform/integrations/installations/queries.ts',
    from: 'id === caller || accountOf(integration) === caller;',
    to: "id === caller || caller.startsWith(accountOf(''));",
    failures: [test('test/service/integrations/integration-tokens', 'reaches no other integration')],
  },
  {
    name: 'deliver the latest event of an installation first',
    file: 'server/platform/integrations/events/jobs/deliver.ts',
    from: ".orderBy('integrationEvents.sequence')",
    to: ".orderBy('integrationEvents.sequence', 'desc')",
    failures: [test(DELIVERY, 'is repeated with the same ID before the next one')],
  },
  {
    name: 'give up an event after one attempt',
    file: 'server/platform/integrations/events/jobs/retries.ts',
    from: 'attempts >= MAX_EVENT_ATTEMPTS ||',
    to: 'attempts > 0 ||',
    failures: [test(DELIVERY, 'is repeated with the same ID before the next one')],
  },
  {
    name: 'let receivers that do not respond keep their slots',
    file: 'server/platform/integrations/events/jobs/lanes.ts',
    from: 'running.isSlow = true;',
    to: '',
    failures: [test(DELIVERY, 'delays no other installation')],
  },
  {
    name: 'send events about content to installations without the scope',
    file: 'server/platform/integrations/events/jobs/recipients.ts',
    from: "          .where('integrationTags.value', 'in', [...requiredScopes]),",
    to: "          .where('integrationTags.value', '>', [...requiredScopes].join().slice(999)),",
    also: [
      {
        file: 'server/platform/integrations/events/jobs/recipients.ts',
        from: '      scopes.includes(REQUIRED_SCOPES[type]) &&',
        to: "      (scopes.includes(REQUIRED_SCOPES[type]) || row.id !== '') &&",
      },
    ],
    failures: [test(EVENTS, 'is reported to installations with the scope')],
  },
  {
    name: 'send events about content to paused installations on a space',
    file: 'server/platform/integrations/events/jobs/recipients.ts',
    from: "    return read().status === 'active';",
    to: "    return read().status !== 'pending';",
    failures: [test(EVENTS, 'is not reported to installations that are paused')],
  },
  {
    name: 'send the cookies of visitors to every integration',
    file: 'server/platform/integrations/events/jobs/recipients.ts',
    from: 'scope && scopes.includes(scope) ? cookies : consent',
    to: 'scope && scopes.length > 0 ? cookies : consent',
    failures: [test(VIEWS, 'without credentials')],
  },
  {
    name: 'send events of a site with the settings of a space',
    file: 'server/platform/integrations/events/jobs/deliver.ts',
    from: "typeof siteId === 'string'",
    to: "typeof siteId === 'string' && typeof spaceId !== 'string'",
    failures: [test('test/service/integrations/webhook', 'with the settings of the site or space')],
  },
  {
    name: 'drop the event of a removed installation',
    file: 'server/platform/integrations/events/jobs/recipients.ts',
    from: "        .selectFrom('integrations')\n        .select('name')\n        .where('name', '=', integration)",
    to: "        .selectFrom('installations')\n        .select('id')\n        .where('id', '=', installation)",
    failures: [test(EVENTS, 'receives its removal')],
  },
  {
    name: 'let every member read the events of an integration',
    file: 'server/platform/integrations/events/handlers.ts',
    from: "await integrationFor(queries, ctx.caller.id, integration, 'admin');",
    to: "await integrationFor(queries, ctx.caller.id, integration, 'view');",
    failures: [access('listIntegrationEvents')],
  },
];
