// Vitest's setup of the projects that run git.
import { installLauncher } from '../launcher/launcher.ts';

installLauncher();
