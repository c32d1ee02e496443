import { type Mutation, test } from '../mutation.ts';

/** Integrations on published sites. */
export const siteIntegrations: Mutation[] = [
  {
    name: 'run scripts of integrations next to sites that another organization restricts',
    file: 'server/platform/sites/site-integrations/find.ts',
    from: 'return integrations.scripts.length === 0 || (await canRunScripts(',
    to: 'return integrations.scripts.length >= 0 || (await canRunScripts(',
    failures: [
      test('test/service/sites/reading/integration-scripts', 'runs only in the origin of its organization'),
    ],
  },
  {
    name: 'run scripts of integrations that are not active on the site',
    file: 'server/platform/sites/site-integrations/find.ts',
    from: "(ownOnSite ? isActive(ownOnSite) : isActiveByDefault(row, 'site'))",
    to: "(ownOnSite !== undefined || isActiveByDefault(row, 'site'))",
    failures: [
      test(
        'test/service/sites/reading/integration-scripts',
        'requires the scope, and the installation to be active',
      ),
    ],
  },
  {
    name: 'add any host to the scripts of pages',
    file: 'server/platform/sites/site-integrations/policy.ts',
    from: "['script-src', LISTED_HOSTS],",
    to: "['script-src', { schemes: [], anyHost: true }],",
    failures: [test('test/unit/sites/integration-policy', 'is not weakened by script-src \\*')],
  },
  {
    name: 'record what may be credentials in reports of browsers',
    file: 'server/platform/sites/reading/integrations/reports.ts',
    from: '({ origin, pathname }) => origin + pathname',
    to: '({ href }) => href',
    failures: [test('test/service/sites/reading/policy-reports', 'once and without credentials')],
  },
  {
    name: 'record every report of browsers',
    file: 'server/platform/integrations/view-events/violations.ts',
    from: 'counted.count >= MAX_VIOLATIONS_PER_INSTALLATION ||',
    to: 'counted.count < 0 ||',
    failures: [test('test/service/sites/reading/policy-reports', 'a process records a limited number')],
  },
  {
    name: 'ask for the consent to cookies on sites without scripts that set them',
    file: 'server/platform/sites/reading/views/frame-view.ts',
    from: 'integrations.scripts.some(({ cookies }) => cookies) ||',
    to: 'integrations.scripts.every(({ cookies }) => cookies) ||',
    failures: [test('test/service/sites/reading/integration-scripts', 'are preceded by what they rely on')],
  },
  {
    name: 'accept feedback that other sites send',
    file: 'server/platform/sites/reading/feedback/serve.ts',
    from: "site !== 'same-origin' && site !== 'none'",
    to: "site === ''",
    failures: [test('test/service/sites/feedback', 'must be valid and small')],
  },
  {
    name: 'retain all feedback of readers',
    file: 'server/platform/sites/reading/feedback/record.ts',
    from: '.offset(MAX_FEEDBACK_PER_SITE);',
    to: '.offset(2 * MAX_FEEDBACK_PER_SITE);',
    failures: [test('test/service/sites/feedback', 'retains the latest feedback')],
  },
  {
    name: 'accept the session of another block',
    file: 'server/platform/sites/reading/integrations/components.ts',
    from: 'const contextOf = (href: string)',
    to: "const contextOf = (_href: string, href = '')",
    failures: [
      test('test/service/sites/reading/integration-blocks', 'is a frame with what the integration renders'),
    ],
  },
  {
    name: 'show elements of integrations that the contract does not define',
    file: 'server/platform/integrations/calls/render-result.ts',
    from: '  if (fault) {',
    to: "  if (fault?.message === '') {",
    failures: [
      test(
        'test/service/sites/reading/integration-blocks',
        'returns an element that the contract does not define',
      ),
    ],
  },
];
