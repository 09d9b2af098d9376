// Others than the user's own page: nothing is read, nothing is lost, and it goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "client.h"

namespace firn::test {
namespace {

class StudioAttack : public testing::Test {
 protected:
  void TearDown() override {
    Page page(studio_);
    EXPECT_TRUE(page.is_open()) << "it goes on";
    EXPECT_EQ(page.ask("hello", {{"version", 1}})["version"], 1);
  }

  int get(const std::string& target, const std::string& fields = "") const { return StudioProcess::status_of(studio_.get(target, fields)); }
  int file(const std::string& path) const { return get("/files/" + path + "?token=" + studio_.token()); }

  StudioProcess studio_;
};

TEST_F(StudioAttack, FilesOutsideOfTheWorkFolderAreNotServed) {
  std::ofstream(studio_.file("mine.toml")) << "mine";
  std::filesystem::create_symlink("/etc", studio_.file("etc"));
  std::filesystem::create_symlink("/etc/passwd", studio_.file("passwd.txt"));
  std::ofstream(studio_.file(".hidden")) << "secret";
  EXPECT_EQ(file("mine.toml"), 200);
  for (const char* path : {"../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "%2fetc%2fpasswd",
                           "etc/passwd", "passwd.txt", "a/../mine.toml", ".hidden", "mine.toml%00.png", "..%5cmine.toml", "", "."})
    EXPECT_NE(file(path), 200) << path;
  EXPECT_EQ(get("/../../../etc/passwd"), 404);
  Page page(studio_);
  for (const char* path : {"../x.toml", "/tmp/x.toml", "etc/x.toml", "x.txt"})
    EXPECT_TRUE(page.ask("open", {{"file", path}}).contains("error")) << path;
  EXPECT_TRUE(page.ask("open", {{"folder", "../"}}).contains("error"));
}

TEST_F(StudioAttack, ForeignOriginsHostsAndTokensAreRefused) {
  const std::string host = "Host: " + studio_.host() + "\r\n", origin = "Origin: http://" + studio_.host() + "\r\n";
  const auto status = [&](const std::string& fields, const std::string& token = "") {
    return StudioProcess::status_of(Page(studio_, token, fields).answer());
  };
  EXPECT_EQ(status(host + origin), 101);
  EXPECT_EQ(status(host), 101) << "programs have no origin";
  EXPECT_EQ(status(host + "Origin: https://example.com\r\n"), 403);
  EXPECT_EQ(status(host + "Origin: null\r\n"), 403);
  EXPECT_EQ(status(host + origin + "Origin: https://example.com\r\n"), 403);
  EXPECT_EQ(status("Host: rebound.example.com:" + std::to_string(studio_.port()) + "\r\n"), 403);
  EXPECT_EQ(status("Host: 127.0.0.1\r\n" + origin), 403) << "another port";
  EXPECT_EQ(status("Host: 127.0.0.1.example.com:" + std::to_string(studio_.port()) + "\r\n"), 403);
  EXPECT_EQ(status(origin), 403) << "no host at all";
  EXPECT_EQ(status(host + origin, std::string(32, '0')), 403);
  EXPECT_EQ(status(host + origin, studio_.token() + studio_.token()), 403);
  EXPECT_EQ(get("/files/x?token=wrong"), 403);
  // The page itself, which has the token, is not for other hosts either.
  const std::string answer =
      studio_.request("GET / HTTP/1.1\r\nHost: evil.example.com:" + std::to_string(studio_.port()) + "\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(StudioProcess::status_of(answer), 403);
  EXPECT_EQ(answer.find(studio_.token()), std::string::npos);
}

TEST_F(StudioAttack, AnswersForbidToBeFramedSniffedOrExtended) {
  const std::string answer = studio_.get("/");
  EXPECT_NE(answer.find("Content-Security-Policy: default-src 'self'"), std::string::npos);
  EXPECT_NE(answer.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(answer.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_EQ(answer.find("Access-Control-Allow"), std::string::npos);
}

TEST_F(StudioAttack, UploadsAreOfKnownKindsAndStayInTheirFolder) {
  const auto put = [&](const std::string& name, const std::string& token, const std::string& body, std::size_t length) {
    return studio_.request("PUT /upload/" + name + "?token=" + token + " HTTP/1.1\r\nHost: " + studio_.host() +
                           "\r\nConnection: close\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" + body);
  };
  const std::string good = put("tet.obj", studio_.token(), "v 0 0 0\n", 8);
  EXPECT_NE(good.find("\"uploads/tet.obj\""), std::string::npos) << good;
  EXPECT_NE(put("tet.obj", studio_.token(), "v 1 0 0\n", 8).find("uploads/tet_2.obj"), std::string::npos);
  EXPECT_EQ(StudioProcess::status_of(put("tet.obj", "wrong", "v", 1)), 403);
  EXPECT_EQ(StudioProcess::status_of(put("..%2fx.obj", studio_.token(), "v", 1)), 400);
  EXPECT_EQ(StudioProcess::status_of(put("x.sh", studio_.token(), "v", 1)), 400);
  EXPECT_EQ(StudioProcess::status_of(put("huge.obj", studio_.token(), "v", std::size_t{300} << 20)), 413);
  EXPECT_FALSE(std::filesystem::exists(studio_.file("x.obj")));
}

TEST_F(StudioAttack, MalformedAndOversizedMessagesAreAnsweredOrEndTheirOwnConnection) {
  {
    Page page(studio_);
    for (const char* text : {"{", "[]", "7", "{\"id\": 101}", "{\"id\": -1, \"do\": \"hello\"}", "{\"id\": 1e300, \"do\": \"hello\"}",
                             "{\"id\": 102, \"do\": \"nothing\"}", "{\"id\": 103, \"do\": \"watch\", \"run\": 99}",
                             "{\"id\": 104, \"do\": \"open\", \"text\": 7}", "{\"id\": 105, \"do\": [\"hello\"]}"})
      page.send_frame(1, text);
    EXPECT_EQ(page.ask("hello", {{"version", 1}})["version"], 1) << "the same page may go on";
    page.send_frame(1, std::string(200'000, '[') + "1");
    EXPECT_EQ(page.ask("hello", {{"version", 1}})["version"], 1);
  }
  Page large(studio_);
  large.send_frame(1, "{\"id\": 1, \"do\": \"" + std::string(2 << 20, 'x') + "\"}");
  EXPECT_TRUE(large.socket().is_closed());
  Page binary(studio_);
  binary.send_frame(2, "bytes");
  EXPECT_TRUE(binary.socket().is_closed());
  Page unmasked(studio_);
  unmasked.send_frame(1, "{}", false);
  EXPECT_TRUE(unmasked.socket().is_closed());
  Page no_text(studio_);
  no_text.send_frame(1, "{\"id\": 1, \"do\": \"\xff\xfe\"}");
  EXPECT_TRUE(no_text.socket().is_closed());
}

TEST_F(StudioAttack, RandomBytesAndCutRequestsAreDropped) {
  std::mt19937 random(1);
  for (int k = 0; k < 50; ++k) {
    Socket socket(studio_.port());
    std::string bytes(1 + random() % 2000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    socket.write(k % 2 == 0 ? bytes : "GET / HTTP/1.1\r\nHost: " + studio_.host() + "\r\n" + bytes);
  }
  for (int k = 0; k < 50; ++k) {
    Page page(studio_);
    std::string bytes(1 + random() % 500, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    page.socket().write(bytes);
  }
  EXPECT_TRUE(studio_.is_running());
}

TEST_F(StudioAttack, SlowHeadersAreCutOffAndTwoHundredConnectionsDoNotStarveIt) {
  Page before(studio_);
  std::vector<std::unique_ptr<Socket>> many;
  for (int k = 0; k < 200; ++k) {
    many.push_back(std::make_unique<Socket>(studio_.port()));
    many.back()->write("GET / HTTP/1.1\r\nX-Slow: ");
  }
  EXPECT_EQ(before.ask("hello", {{"version", 1}}, 3)["version"], 1) << "who is there is served";
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& socket : many) EXPECT_TRUE(socket->is_closed(8));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TEST_F(StudioAttack, AScriptThatAsksAndNeverReadsIsDropped) {
  Page page(studio_);
  page.socket().receive_little();
  bool is_dropped = false;
  for (int k = 0; k < 20'000 && !is_dropped; ++k) {
    page.tell("schema");
    if (k % 500 == 0) is_dropped = !page.socket().write("");
    if (studio_.resident_megabytes() > 400) break;
  }
  EXPECT_LT(studio_.resident_megabytes(), 400);
}

const std::string kLongBall =
    "[simulation]\nspacing = 0.02\nduration = 100\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.3, 0]\nradius = 0.2\n"
    "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n";

std::int64_t steps_of(Page& page, int run) {
  const Json hello = page.ask("hello", {{"version", 1}});
  for (const Json& one : hello["runs"])
    if (one["run"] == run) return one["steps"];
  return -1;
}

TEST_F(StudioAttack, APageThatNeverStopsAskingDoesNotStopARun) {
  Page page(studio_), other(studio_);
  const int run = page.ask("open", {{"text", kLongBall}, {"go", true}})["run"];
  while (steps_of(page, run) < 5) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::atomic<bool> is_over{false};
  std::thread flood([&] {
    while (!is_over) {
      for (int k = 0; k < 200; ++k) other.tell(k % 2 == 0 ? "pick" : "histogram", {{"run", run}, {"particle", 5}});
      other.answered(200, 0.02);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::int64_t before = steps_of(page, run);
  const auto begin = std::chrono::steady_clock::now();
  while (steps_of(page, run) < before + 30 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(steps_of(page, run), before + 30);
  is_over = true;
  flood.join();
}

TEST_F(StudioAttack, QuestionsToARunThatIsClosedAreAnswered) {
  Page page(studio_);
  for (int round = 0; round < 5; ++round) {
    const int run = page.ask("open", {{"text", kLongBall}, {"go", true}})["run"];
    for (int k = 0; k < 12; ++k) page.tell("histogram", {{"run", run}});
    page.tell("close", {{"run", run}});
    EXPECT_EQ(page.answered(13), 13U);
  }
}

TEST_F(StudioAttack, ARunOfAnotherProgramWithoutNumbersOfGrainsCanBePicked) {
  std::filesystem::create_directories(studio_.file("theirs"));
  std::ofstream(studio_.file("theirs/scene.toml")) << kLongBall;
  std::ofstream(studio_.file("theirs/frame_0000.ply")) << "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                                                          "property float z\nend_header\n0 1 0\n0 2 0\n";
  Page page(studio_);
  const Json opened = page.ask("open", {{"folder", "theirs"}});
  ASSERT_TRUE(opened.contains("run")) << opened;
  const Json answer =
      page.ask("pick", {{"run", opened["run"]}, {"frame", 0}, {"origin", {0, 9, 0}}, {"direction", {0, -1, 0}}, {"radius", 0.1}});
  EXPECT_EQ(answer["particle"], 1) << answer;
  EXPECT_EQ(answer["position"], Json({0.0, 2.0, 0.0}));
}

TEST_F(StudioAttack, PagesLeaveRoomForWhoAsksForFiles) {
  std::vector<std::unique_ptr<Page>> pages;
  for (int k = 0; k < 70; ++k) pages.push_back(std::make_unique<Page>(studio_));
  const auto open = std::count_if(pages.begin(), pages.end(), [](const auto& page) { return page->is_open(); });
  EXPECT_EQ(open, 32);
  EXPECT_EQ(get("/"), 200);
}

TEST_F(StudioAttack, ASceneBeyondTheMemoryIsRefusedWithTheNumber) {
  Page page(studio_);
  const Json answer = page.ask("open", {{"text",
                                         "[simulation]\nspacing = 0.001\nduration = 1\n[[snow]]\nshape = \"box\"\n"
                                         "center = [0, 0, 0]\nsize = [50, 50, 50]\n"}});
  ASSERT_TRUE(answer.contains("run")) << answer;
  const std::optional<Json> event = page.event("run", "state", "failed");
  ASSERT_TRUE(event);
  EXPECT_NE((*event)["message"].get<std::string>().find("GB"), std::string::npos) << *event;
}

}  // namespace
}  // namespace firn::test
