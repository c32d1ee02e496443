import { alignedLines } from '../columns.ts';
import { REASONS, type Reason } from './reasons.ts';
import type { ScenarioResult, SpecificationResult } from './specification.ts';

const SIDES = ['router', 'client'] as const;
type Side = (typeof SIDES)[number];

/** Whether a side of a scenario passes, fails with a listed reason, or differs from the list. */
function outcomeOf(result: ScenarioResult, side: Side): 'passed' | 'reason' | 'failed' | 'outdated' {
  const reason = reasonOf(result, side);
  if (result[side].length === 0) {
    return reason === undefined ? 'passed' : 'outdated';
  }
  return reason !== undefined && result[side].every((problem) => reason[1].test(problem))
    ? 'reason'
    : 'failed';
}

const reasonOf = ({ name }: ScenarioResult, side: Side): Reason | undefined => REASONS[name]?.[side];

/** Formats the results as a table with totals. */
export function formatTable(results: readonly SpecificationResult[]): string {
  const all = results.flatMap(({ scenarios }) => scenarios);
  const stage = (name: 'generate' | 'types') =>
    `${results.filter((result) => result[name].length === 0).length}/${results.length}`;
  const rows = results.map((result) => [
    result.name,
    String(result.scenarios.length),
    ...(['generate', 'types'] as const).map((name) => (result[name].length === 0 ? 'ok' : 'failed')),
    ...SIDES.map((side) => sideCell(result.scenarios, side)),
  ]);
  const lines = [
    ['specification', 'scenarios', 'generate', 'types', 'router raw', 'client'],
    ...rows,
    [
      `total ${results.length}`,
      String(all.length),
      stage('generate'),
      stage('types'),
      ...SIDES.map((side) => sideCell(all, side)),
    ],
  ];
  return alignedLines(lines);
}

function sideCell(scenarios: readonly ScenarioResult[], side: Side): string {
  const count = (outcome: string) => scenarios.filter((result) => outcomeOf(result, side) === outcome).length;
  const [passed, reason, failed] = [count('passed') + count('outdated'), count('reason'), count('failed')];
  return [
    `${passed} passed`,
    ...(reason > 0 ? [`${reason} with a reason`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ');
}

/** Formats what failed without a reason, and reasons of what passes or does not exist. */
export function formatProblems(results: readonly SpecificationResult[]): string[] {
  const stages = results.flatMap(({ name, generate, types }) => [
    ...generate.map((problem) => `${name}: generate: ${problem}`),
    ...types.map((problem) => `${name}: types: ${problem}`),
  ]);
  const scenarios = results.flatMap(({ generate, scenarios: all }) =>
    (generate.length > 0 ? [] : all).flatMap((result) =>
      SIDES.flatMap((side) => {
        const outcome = outcomeOf(result, side);
        return outcome === 'failed'
          ? result[side].map((problem) => `${result.name}: ${side}: ${problem}`)
          : outcome === 'outdated'
            ? [`${result.name}: ${side}: passes. Remove its reason from reasons.ts.`]
            : [];
      }),
    ),
  );
  return [...stages, ...scenarios];
}

/** Formats the reasons with their scenarios. */
export function formatReasons(results: readonly SpecificationResult[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const result of results.flatMap(({ scenarios }) => scenarios)) {
    for (const side of SIDES) {
      if (outcomeOf(result, side) === 'reason') {
        const reason = `${side}: ${reasonOf(result, side)?.[0]}`;
        reasons.set(reason, [...(reasons.get(reason) ?? []), result.name]);
      }
    }
  }
  return [...reasons].map(([reason, names]) => `${reason}\n  ${names.join('\n  ')}`);
}
