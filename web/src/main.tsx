import { render } from 'preact';
import { App } from './app';
import './lib/focus';
import { preferredLanguage, useLanguage } from './lib/i18n';
import './lib/theme';
import './styles.css';

await useLanguage(preferredLanguage());
render(<App />, document.getElementById('app')!);
