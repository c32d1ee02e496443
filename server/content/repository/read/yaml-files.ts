import type { ReportProblem } from '../problems.ts';
import { decodeText } from '../text.ts';
import { MAX_CONFIGURATION_CHARACTERS, YamlError, type YamlMap, type YamlReader } from '../yaml.ts';

/** Reads a file of the tool that wrote the repository. Invalid YAML is reported, and ignored. */
export function readYaml(
  content: Uint8Array | undefined,
  yaml: YamlReader,
  subject: 'The configuration was' | 'The variables were',
  report: ReportProblem,
): YamlMap {
  try {
    return content === undefined ? {} : yaml.readMap(decodeText(content), MAX_CONFIGURATION_CHARACTERS);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(
      'invalid_syntax',
      `${subject} ignored because the YAML is invalid: ${reason}. Correct it and import again.`,
      error instanceof YamlError ? error.line : undefined,
    );
    return {};
  }
}
