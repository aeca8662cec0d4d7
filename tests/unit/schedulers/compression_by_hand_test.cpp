#include <cstddef>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/plain_compression.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::compression_by_hand_test {

// Compression of the plan by hand: the figures of the paper on pc and dc, and other small schedules.

using Kind = PlainCompression::Kind;

namespace {

// A small machine beside the plain form, which reports each move.
class CompressedMachine : public SmallMachine {
 public:
    CompressedMachine(int processors, Kind kind, const std::string& order)
        : SmallMachine(processors, name_of(kind), {{"order", order}}),
          plain_(processors, kind, named_orders().at(order), counts_) {}

    // The moves of the last round: "b 7; a 1".
    std::string moves() const {
        std::string text;
        for (std::size_t i = moves_before_; i < plain_.moves().size(); ++i) {
            const auto& [job, start] = plain_.moves()[i];
            text += (text.empty() ? "" : "; ") + name(job) + " " + brief(start);
        }
        return text;
    }

 private:
    void after_round(const Message& message) override {
        moves_before_ = plain_.moves().size();
        plain_.round(message);
    }

    PlainCompression::Counts counts_;
    PlainCompression plain_;
    std::size_t moves_before_ = 0;
};

// Figure 3 of the paper. A ends early in the next round.
const std::string figure_3 = "0: A 1x6, B 1x7, C 1x4, D 1x6, E 2x5, F 1x4 | start A B C; D 4; E 7; F 10";

}  // namespace

TEST_CASE("conservative with compression=start-now leaves holes that begin later, until time reaches them",
          "[compression]") {
    // Before and after the early end of A.
    //
    //     0 1 2 3 4 5 6 7 8 9 10  12          0 1 2 3 4 5 6 7 8 9 10  12
    //     A A A A A A - E E E E E - -         A D D D D D D E E E E E - -
    //     B B B B B B B E E E E E - -         B B B B B B B E E E E E - -
    //     C C C C D D D D D D F F F F         C C C C - - - - - - F F F F
    const auto play = [](const std::string& compression, const std::string& after_figure_3) {
        SmallMachine machine(3, "conservative", {{"compression", compression}});
        machine.play(figure_3);
        machine.play(after_figure_3);
    };
    SECTION("by planned start, F moves into the place that D has left") {
        play("planned-start", "1: ends A | start D; E 7; F 4");
    }
    SECTION("F could start at 4, which is not now; at 4 it can, though C ends on time") {
        play("start-now", R"(
            1: ends A  | start D; E 7; F 10
            4: ends C  | start F; E 7
        )");
    }
    SECTION("a job that is submitted meanwhile may take the hole, and delays nobody's plan") {
        play("start-now", R"(
            1: ends A  | start D; E 7; F 10
            2: G 1x6   | E 7; F 10; G 4
            4: ends C  | start G; E 7; F 10
        )");
    }
    SECTION("the job that was planned first is tried first") {
        play("start-now", "1: ends A, G 1x1 | start D; E 7; F 10; G 4");  // D's planned start is before G arrives
    }
}

// The figures of the paper are drawings. Its text says which jobs exist, which ones move and in which order. The
// numbers of processors and the lengths are ours, chosen to make the text true. The first job ends early, at 1.

TEST_CASE("pc and dc: after each move the scan returns to its front (figure 1 of the paper)", "[compression]") {
    // Processors from top to bottom, before and after A ends early. Longest job first: E, C, D.
    //
    //     0 1 2 3 4 5 6 7 8 9 10          0 1 2 3 4 5
    //     A A A A A C C - - - -           A C C - - -
    //     A A A A A C C - - - -           A C C D - -
    //     A A A A A D E E E E E           A E E E E E
    //     B B B - - D - - - - -           B B B D - -
    // At 1, E needs 5 seconds, and C and D block it. C can start now. With one try per job, only D would follow, at 3,
    // and E would stay at 6. But from the front again, only D blocks E, and a processor beside D is free. (dc leaves D
    // for later.)
    for (const Kind kind : both_kinds) {
        CompressedMachine machine(4, kind, "lpf");
        // One processor is free from 3 to 5 and from 6.
        machine.play("0: A 3x5, B 1x3, C 2x2, D 2x1, E 1x5 | start A B; C 5; D 5; E 6");
        CHECK(machine.play("1: ends A") == (kind == Kind::pc ? "start C E; D 3" : "start C E; D 5"));
        CHECK(machine.moves() == (kind == Kind::pc ? "C 1; E 1; D 3" : "C 1; E 1"));
        machine.play(R"(
            3: ends B, ends C  | start D
            4: ends D          |
            6: ends E          |
        )");
    }
}

TEST_CASE("pc: a compression may move one job twice (figure 2 of the paper)", "[compression]") {
    // (a) before A ends early, (b) after the first move of D, (c) after the moves of C and then D again. Widest first:
    // D, C.
    //
    //     0 1 2 3 4 5 6 7 8 9 10     0 1 2 3 4 5 6 7 8     0 1 2 3 4 5
    //     B B B B C C C - - D D      B B B B C C C D D     B B B B D D
    //     B B B B - - - - - D D      B B B B - - - D D     B B B B D D
    //     A A A A A A A A A D D      A - - - - - - D D     A C C C D D
    CompressedMachine machine(3, Kind::pc, "lqf");
    machine.play(R"(
        0: A 1x9, B 2x4, C 1x3, D 3x2  | start A B; C 4; D 9
        1: ends A                      | start C; D 4
    )");
    CHECK(machine.moves() == "D 7; C 1; D 4");
    machine.play(R"(
        4: ends B, ends C  | start D
        6: ends D          |
    )");
}

TEST_CASE("dc leaves holes for later, and protects them (figure 3 of the paper)", "[compression]") {
    // Before and after A ends early. Longest job first: D, E, F. D leaves a hole behind C, from 4 on, into which F
    // could move.
    //
    //     0 1 2 3 4 5 6 7 8 9 10  12          0 1 2 3 4 5 6 7 8 9 10  12
    //     A A A A A A - E E E E E - -         A D D D D D D E E E E E - -
    //     B B B B B B B E E E E E - -         B B B B B B B E E E E E - -
    //     C C C C D D D D D D F F F F         C C C C - - - - - - F F F F
    SECTION("pc closes the hole at once") {
        CompressedMachine pc(3, Kind::pc, "lpf");
        pc.play(figure_3);
        pc.play("1: ends A | start D; E 7; F 4");
    }
    CompressedMachine dc(3, Kind::dc, "lpf");
    dc.play(figure_3);
    dc.play("1: ends A | start D; E 7; F 10");
    SECTION("it is filled when time reaches it, though C ends on time") {
        dc.play("4: ends C | start F; E 7");
        CHECK(dc.moves() == "F 4");
        dc.play(R"(
             7: ends B, ends D  | start E
             8: ends F          |
            12: ends E          |
        )");
    }
    SECTION("a job of lower priority that would take it makes F move first") {
        dc.play("2: G 1x3 | E 7; F 4; G 8");  // could run from 4 to 7, and F could start at 4
        CHECK(dc.moves() == "F 4");
        dc.play("4: ends C | start F; E 7; G 8");
    }
    SECTION("a job of higher priority gets it") {
        dc.play("2: G 1x6 | E 7; F 10; G 4");
        CHECK(dc.moves().empty());
        dc.play("4: ends C | start G; E 7; F 10");
    }
}

TEST_CASE("dc: a submitted job makes those before it move that could start before it ends", "[compression]") {
    // When A ends early at 1, b cannot start now and stays at 10. It could start at 5, when R ends. One processor is
    // idle until then.
    const auto at_2 = [](const std::string& order, const std::string& submitted) {
        return SmallMachine(2, "dc", {{"order", order}}).play(R"(
            0: R 1x5, A 1x10, b 2x9  | start R A; b 10
            1: ends A                | b 10
            2: )" + submitted);
    };
    SECTION("at the very end is no conflict") {
        CHECK(at_2("lpf", "j 1x3") == "start j; b 10");
    }
    SECTION("one second longer is one") {
        CHECK(at_2("lpf", "j 1x4") == "b 5; j 14");
    }
    SECTION("a job behind the submitted one is left where it is") {
        CHECK(at_2("spf", "j 1x8") == "start j; b 10");
    }
    SECTION("of equals, the first comes first") {
        CHECK(at_2("spf", "j 1x9") == "b 5; j 14");  // at 19; or at 14 if b moves
    }
    SECTION("the submissions of a message come one after the other") {
        CHECK(at_2("lpf", "i 1x3, j 1x4") ==
              "start i; b 5; j 14");  // i gets the idle processor; j could run from 5 to 9
    }
}

// d runs on the first host only. The pass looks at it before c, which then leaves that host for the other one, is due,
// and is parked: no licence is left.
TEST_CASE("conservative with compression=order: who is parked makes room also on the hosts that it left in the pass",
          "[compression]") {
    std::vector<Host> hosts(2, Host{"h", 1e9, {}, {{"pools", "licence:1"}}});
    hosts.front().properties["partitions"] = "x";
    SmallMachine machine(Machine(hosts), "conservative",
                         {{"compression", "order"}, {"order", "spf"}, {"plan-pools", "none"}});
    machine.play(R"(
         0: a 1x100 takes licence:1 in x, b 1x200, c 1x90 takes licence:1, d 1x50 in x | start a b; c 100; d 190
        50: ends b | d 100
    )");
}

}  // namespace batfill::tests::compression_by_hand_test
