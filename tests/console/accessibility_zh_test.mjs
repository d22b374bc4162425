// The accessibility of the console in Chinese: its main pages; all states with LAUREL_TEST_ALL.
import { lookAtAll } from './accessibility.mjs';

lookAtAll('zh');
