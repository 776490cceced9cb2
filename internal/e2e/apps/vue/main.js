import { createApp } from "vue";
import { createRouter, createWebHistory } from "vue-router";
import App from "./App.vue";
import Article from "./Article.vue";
import SignUp from "./SignUp.vue";
import Tasks from "./Tasks.vue";

const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/", component: SignUp },
    { path: "/tasks", component: Tasks },
    { path: "/articles/:id", component: Article },
  ],
});
createApp(App).use(router).mount("#app");
