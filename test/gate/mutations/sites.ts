import { type Mutation, test } from '../mutation.ts';

/** Published sites that lose their order, or show visitors what is not for them. */
export const sites: Mutation[] = [
  {
    name: 'elect no other default when the default entry of a site is removed',
    file: 'server/platform/sites/structure/edit/settle.ts',
    from: 'return (variants.find(({ id }) => id === current) ?? variants[0])?.id ?? null;',
    to: 'return (variants.find(({ id }) => id === current) ?? variants[current === null ? 0 : 99])?.id ?? null;',
    failures: [
      test('test/service/sites/structure/structure', 'shows another space first if the default is removed'),
    ],
  },
  {
    name: 'show a section whose condition does not hold',
    file: 'server/platform/sites/visitors/structure.ts',
    from: 'section: ({ condition }) => holds(condition),',
    to: 'section: () => true,',
    failures: [
      test('test/unit/sites/visible-structure', 'exactly the sections and site spaces whose conditions hold'),
      test('test/service/sites/visitors/reading-visitors', 'is at none of the addresses of the others'),
    ],
  },
  {
    name: 'redirect to the current address of a site before its visitor is admitted',
    file: 'server/platform/sites/reading/router.ts',
    from: '  if (isRefused) {',
    to: '  if (isRefused && !isCurrent) {\n    redirect(res, 307, url, PRIVATE);\n    return;\n  }\n  if (isRefused) {',
    failures: [
      test(
        'test/service/sites/reading/origins',
        'reveals the names of the site to nobody who may not read it',
      ),
    ],
  },
  {
    name: 'show what depends on a condition that cannot be evaluated',
    file: 'server/content/expressions/visible-text.ts',
    from: '      !condition.isHidden &&\n',
    to: '',
    failures: [
      test(
        'test/unit/content/visible-text',
        'a condition in an invalid expression selects who sees its text',
      ),
    ],
  },
  {
    name: 'trust the estimate of what is code',
    file: 'server/content/expressions/visible-text.ts',
    from: '(isParsed && readsAsLiteral(part, parseOnce(part)))',
    to: "(isParsed && readsAsLiteral(part, parseOnce('')))",
    failures: [
      test(
        'test/unit/content/visible-text',
        'a condition in a backtick in another item selects who sees its text',
      ),
    ],
  },
  {
    name: 'show guests the spaces that are not visible to them',
    file: 'server/platform/sites/visitors/structure.ts',
    from: 'holds(condition) && spaces?.has(space) !== false,',
    to: "holds(condition) && (spaces?.size !== 0 || space === ''),",
    failures: [test('test/service/sites/visitors/reading-visitors', 'guests see the spaces visible to them')],
  },
  {
    name: 'accept claims of visitors that the adaptive schema does not declare as signed',
    file: 'server/platform/sites/visitors/visitor.ts',
    from: '    ...booleansOf(declared.signed, signed),',
    to: '    ...booleansOf(declared.signed, { ...unsigned, ...signed }),',
    failures: [
      test('test/unit/sites/conditions', 'the unsigned ones only from the browser'),
      test(
        'test/service/sites/visitors/reading-visitors',
        'claims that a browser states about itself are remembered',
      ),
    ],
  },
  {
    name: 'accept visitor tokens without an expiry',
    file: 'server/platform/sites/visitors/tokens.ts',
    from: "      requiredClaims: ['exp'],\n",
    to: '',
    also: [
      {
        file: 'server/platform/sites/visitors/tokens.ts',
        from: 'function areTimesValid({ exp = 0, iat = 0 }: JWTPayload, now: number): boolean {',
        to: 'function areTimesValid({ exp = Date.now() / 1000 + 9, iat = 0 }: JWTPayload, now: number): boolean {',
      },
    ],
    failures: [test('test/service/sites/visitors/visitors', 'are refused')],
  },
  {
    name: 'accept visitor tokens for another audience',
    file: 'server/platform/sites/visitors/tokens.ts',
    from: 'return isForAudience(payload, audiences) ? payload : undefined;',
    to: 'return isForAudience(payload, audiences) || keys.length > 0 ? payload : undefined;',
    failures: [
      test('test/service/sites/visitors/visitors', 'can have the site or its URL as their audience'),
    ],
  },
  {
    name: 'redirect visitors whose token is not accepted',
    file: 'server/platform/sites/reading/refuse.ts',
    from: "if (refused === 'token-rejected') {",
    to: "if (refused === 'token-rejected' && fallbackURL === '') {",
    failures: [test('test/service/sites/visitors/integration-visitors', 'ends in a page with status 401')],
  },
  {
    name: 'forward cookies of integrations with the path that they state',
    file: 'server/platform/integrations/calls/cookies.ts',
    from: 'path: pathname,',
    to: 'path: attributes.path ?? pathname,',
    failures: [test('test/service/sites/visitors/integration-visitors', 'limited to its endpoint')],
  },
  {
    name: 'admit visitors with the share key of another site',
    file: 'server/platform/sites/visitors/admit.ts',
    from: "    .where('site', '=', site)\n    .where('secretHash', '=', hashToken(secret))",
    to: "    .where('site', '>=', site.slice(99))\n    .where('secretHash', '=', hashToken(secret))",
    failures: [test('test/service/sites/visitors/visitors', 'need one of the site')],
  },
  {
    name: 'cache pages without the claims of their visitor',
    file: 'server/platform/sites/visitors/visitor.ts',
    from: "const key = createHash('sha256').update(JSON.stringify(visible)).digest('base64url');",
    to: "const key = createHash('sha256').update(JSON.stringify(visible.length)).digest('base64url');",
    failures: [
      test('test/unit/sites/conditions', 'visitors with the same claims have the same key'),
      test('test/service/sites/visitors/reading-visitors', 'is complete for them, also right after others'),
    ],
  },
  {
    name: 'find conditional blocks that a visitor does not see',
    file: 'server/platform/sites/reading/views/search-view.ts',
    from: 'conditionsHold(condition, claims),',
    to: 'conditionsHold(condition, claims) || true,',
    failures: [
      test('test/service/sites/visitors/reading-visitors', 'is a block that a search finds only for them'),
    ],
  },
  {
    name: 'print conditional blocks that a visitor does not see',
    file: 'server/platform/sites/reading/resources/serve-resources.ts',
    from: '    claims: reading.claims,\n    includes:',
    to: '    claims: undefined,\n    includes:',
    failures: [test('test/service/sites/visitors/reading-visitors', 'is printed only for them')],
  },
  {
    name: 'send the same nonce with each page',
    file: 'server/platform/sites/reading/respond.ts',
    from: '  const nonce = createNonce();',
    to: '  const nonce = createNonce().replace(/./g, "a");',
    failures: [
      test(
        'test/service/sites/reading/reading',
        'runs only scripts and styles with the nonce of its response',
      ),
    ],
  },
  {
    name: 'let search engines index unlisted sites',
    file: 'server/platform/sites/reading/views/page-view.ts',
    from: "reading.site.visibility === 'public' && !isExcluded(page.record);",
    to: '!isExcluded(page.record) || reading.site.id === "";',
    failures: [test('test/service/sites/reading/reading', 'of an unlisted site keeps search engines out')],
  },
  {
    name: 'redirect the path of an existing page',
    file: 'server/platform/sites/reading/destination.ts',
    from: 'const redirected = current ? undefined : navigation.redirectFrom(path);',
    to: 'const redirected = navigation.redirectFrom(path);',
    failures: [test('test/service/sites/structure/redirects', 'does not replace a page')],
  },
  {
    name: 'retain the sessions of visitors when the backend of a site changes',
    file: 'server/platform/sites/visitors/sessions.ts',
    from: 'JSON.stringify([id, signingKey, authIntegration, token])',
    to: 'JSON.stringify([id, signingKey, token, authIntegration === null ? 0 : 0])',
    failures: [
      test('test/service/sites/visitors/visitor-sessions', 'ends when an integration becomes the backend'),
    ],
  },
  {
    name: 'import redirects to other sites',
    file: 'server/content/repository/read/redirects.ts',
    from: '    } else if (URL_START.test(target)) {',
    to: '    } else if (URL_START.test(from)) {',
    failures: [test('test/unit/repository/redirects', 'are reported and skipped: a URL')],
  },
];
