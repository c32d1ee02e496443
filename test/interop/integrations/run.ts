/** Runs the steps of integrations, one integration after the other, against one server. */
import { ok } from '../../../client/platform/index.ts';
import { importRepository } from '../../support/content/imports.ts';
import { named } from '../../support/integrations/integrations.ts';
import type { CheckedOutIntegration } from './checkout.ts';
import { replyOfProvider } from './fakes/identity.ts';
import type { FakeServices, Replies } from './fakes/services.ts';
import { scenarioOf } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { Service } from './service.ts';
import { NeedsService, type Step, type Subject, type Target } from './step.ts';
import { blocksStep, frameStep, unfurlStep } from './steps/blocks.ts';
import { configureStep, connectStep } from './steps/configure.ts';
import { eventsStep, traceStep } from './steps/events.ts';
import { installStep, publishStep } from './steps/publish.ts';
import { scriptStep, visitorsStep } from './steps/site.ts';

/** All steps, in their order. */
export const STEPS: readonly Step[] = [
  publishStep,
  installStep,
  connectStep,
  configureStep,
  unfurlStep,
  blocksStep,
  frameStep,
  scriptStep,
  eventsStep,
  visitorsStep,
  traceStep,
];

/** Result of a step: `ok`, `-` if it does not apply, or a reason. */
export type StepResult = { state: 'ok' | '-' } | { state: 'failed' | 'needs'; reason: string };

/** Results of an integration by the names of the steps. */
export type IntegrationResults = Record<string, StepResult>;

/** Replies of the fake services to an integration: those of its scenario, then those of any identity provider. */
export function createReplies(): { replies: Replies; use: (scenario: Scenario) => void } {
  let current: Scenario = {};
  return {
    replies: (request) => current.replies?.(request) ?? replyOfProvider(request),
    use: (scenario) => {
      current = scenario;
    },
  };
}

/** Maximum length of a reason in characters. */
const MAX_REASON_CHARACTERS = 300;

/** Runs the steps of an integration. It is removed afterwards, so that it receives no events of others. */
export async function runIntegration(
  integration: CheckedOutIntegration,
  {
    service,
    fakes,
    use,
    repository,
    steps = STEPS,
    scenario = scenarioOf(integration.manifest.name),
  }: {
    service: Service;
    fakes: FakeServices;
    use: (scenario: Scenario) => void;
    repository: { url: string };
    steps?: readonly Step[];
    scenario?: Scenario;
  },
): Promise<IntegrationResults> {
  use(scenario);
  const content = await createContent(service, integration, repository);
  const subject: Subject = { ...integration, service, fakes, scenario, installation: '', ...content };
  const results: IntegrationResults = {};
  for (const { name, run } of steps) {
    results[name] = await run(subject).then(
      (outcome) => ({ state: outcome === 'ok' ? 'ok' : '-' }) as const,
      (error: Error) => ({
        state: error instanceof NeedsService ? ('needs' as const) : ('failed' as const),
        reason: error.message.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_CHARACTERS),
      }),
    );
    if (results.publish?.state === 'failed' || results.install?.state === 'failed') {
      break;
    }
  }
  await service.admin.client.DELETE('/v1/integrations/{integrationName}', named(integration.manifest.name));
  return results;
}

/** Creates a space with content, and a published site with it, which the integration is installed on. */
async function createContent(
  service: Service,
  { manifest }: CheckedOutIntegration,
  repository: { url: string },
): Promise<{ targets: Target[]; siteUrl: string }> {
  const { client } = service.admin;
  const params = { path: { organizationId: service.organization } };
  const { id: space } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { title: 'Interop' } }),
  );
  await importRepository(service, space, repository);
  const site = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      params,
      body: { title: 'Interop', spaces: [space] },
    }),
  );
  const published = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', {
      params: { path: { ...params.path, siteId: site.id } },
    }),
  );
  if (manifest.scopes?.includes('site:adaptive:write')) {
    await ok(
      client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
        params: { path: { ...params.path, siteId: site.id } },
        body: { adaptiveContent: { enabled: true } },
      }),
    );
  }
  const { target = 'all' } = manifest;
  const targets: Target[] = [
    ...(target !== 'site' ? [{ kind: 'space' as const, id: space, space }] : []),
    ...(target !== 'space' ? [{ kind: 'site' as const, id: site.id, space }] : []),
  ];
  return { targets, siteUrl: published.urls.published ?? '' };
}
