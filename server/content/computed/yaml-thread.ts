/** The module of the thread that reads YAML, see `parse.ts`. */
import { serveTasks } from '../../threads/threads.ts';
import { yamlToJson } from './yaml.ts';

serveTasks({ yamlToJson });
