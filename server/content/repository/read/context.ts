import type { PathIndex, RepositoryFiles } from '../files.ts';
import type { ContentProblem } from '../types.ts';
import type { YamlReader } from '../yaml.ts';
import type { AssetCollector } from './assets.ts';
import type { ContentConfiguration } from './configuration.ts';
import type { ExternalFiles } from './external.ts';

/** What the parts of a repository are read with. */
export interface ReadingContext {
  files: RepositoryFiles;
  index: PathIndex;
  configuration: ContentConfiguration;
  assets: AssetCollector;
  external: ExternalFiles;
  yaml: YamlReader;
  problems: ContentProblem[];
}
