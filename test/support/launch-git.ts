// Vitest's setup of the service suite.
import { installLauncher } from './launcher/launcher.ts';

installLauncher();
