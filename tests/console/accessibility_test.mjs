// The accessibility of every page and state of the console in English.
import { lookAtAll } from './accessibility.mjs';

lookAtAll('en');
