import DefaultTheme from "vitepress/theme-without-fonts";
import { onMounted } from "vue";
import "./style.css";

/** Where VitePress keeps the words of its search. */
const SEARCH_WORDS = "vitepress:local-search-filter";

/** So that a page that has the whole query as its path or name comes before pages that have only its words. */
const WHOLE_BOOST = 4;

/** The words of a query and, as one more word, all of them together: `place order` is `placeOrder`, too. */
function wordsOf(query) {
  const words = query.split(/[\s\p{Z}\p{P}]+/u).filter(Boolean);
  if (query.includes("/")) return [...words, `path${words.join("")}`];
  // A code or a header, such as quote_expired, is a word that no shorter query begins with.
  if (/[_-]/.test(query)) return [...words, `name${words.join("")}`];
  return words.length > 1 ? [...words, words.join("")] : words;
}

/** An operation comes before a guide with the same words, and a decision after it. */
const boostOfPage = (id) =>
  /\/reference\/(?!webhooks)\w+\.html/.test(id) ? 2 : /\/(decisions|performance)/.test(id) ? 0.5 : 1;

const boostOf = (_word, at, words) => at > 0 && at === words.length - 1 ? WHOLE_BOOST : 1;

export default {
  extends: DefaultTheme,
  /** Opens the search for the words in `?search=`, which the form of /start sends. */
  setup() {
    onMounted(() => {
      const words = new URLSearchParams(location.search).get("search");
      if (!words) return;
      sessionStorage.setItem(SEARCH_WORDS, words);
      dispatchEvent(new KeyboardEvent("keydown", { key: "/" }));
    });
  },
  // Set here, because VitePress would evaluate the text of a function in the configuration, and the page's policy
  // forbids that.
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options.miniSearch = {
      searchOptions: { tokenize: wordsOf, boostTerm: boostOf, boostDocument: boostOfPage },
    };
  },
};
