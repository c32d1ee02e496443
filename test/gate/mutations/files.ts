import { breaks, type Mutation, step, test } from '../mutation.ts';

/** Edits of generated files by hand. */
export const generatedByHand: Mutation[] = [
  {
    name: 'edit the generated document by hand',
    file: 'generated/openapi.json',
    from: '"title": "Documentation platform management API"',
    to: '"title": "Documentation API"',
    failures: [step('drift', /actual: +"title": "Documentation API"/)],
  },
  {
    name: 'edit the generated types by hand',
    file: 'generated/schema.d.ts',
    from: 'export interface paths {',
    to: '/* By hand. */\nexport interface paths {',
    failures: [step('drift', /^generated\/schema\.d\.ts:\d+ does not match/m)],
  },
  {
    name: 'edit the generated table of operations by hand',
    file: 'generated/operations.ts',
    from: "createTeam: { method: 'put', path: '/v1/orgs/{organizationId}/teams', status: 201",
    to: "createTeam: { method: 'put', path: '/v1/orgs/{organizationId}/teams', status: 200",
    failures: [step('drift', /^generated\/operations\.ts:\d+ does not match/m)],
  },
];

/** Edits of the released contract, its approvals, the expected operations and the rules. */
export const records: Mutation[] = [
  {
    name: 'add a field to the released contract only',
    file: 'spec/released/openapi.json',
    from: `          "members": {
            "type": "integer",
            "format": "int32",
            "description": "How many members it has."
          },`,
    to: `          "members": {
            "type": "integer",
            "format": "int32",
            "description": "How many members it has."
          },
          "colour": { "type": "string" },`,
    failures: breaks('The property "colour" was removed'),
  },
  {
    name: 'approve a breaking change without a reason',
    file: 'spec/released/approvals.yaml',
    from: 'approvals:\n',
    to: 'approvals:\n  - operation: "*"\n    location: "*"\n    release: 1.0.0\n',
    failures: [step('released', 'has no "reason"'), { part: 'diff', report: 'has no "reason"' }],
  },
  {
    name: 'change the expected table of operations',
    file: 'test/fixtures/operations.tsv',
    from: 'PUT\t/v1/orgs/{organizationId}/teams\tTeams\t201',
    to: 'PUT\t/v1/orgs/{organizationId}/teams\tTeams\t200',
    failures: [test('test/toolchain/contract/operations', 'PUT /v1/orgs/.organizationId./teams ')],
  },
  {
    name: 'disable a rule of the contract',
    file: 'spec/checks.js',
    from: '  checkRequestStrings(program, operations);\n',
    to: '',
    failures: [
      step('lint', 'spec/checks.js:'),
      test('test/toolchain/contract/lint', 'reject unbounded text'),
    ],
  },
];
